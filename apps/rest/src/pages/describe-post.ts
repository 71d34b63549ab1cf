import type {
  DecisionDelivery,
  DecisionMedia,
  DecisionOption,
  DecisionPart,
  PostSubject,
} from '@switchboard/domain/approvals';
import type { Media } from '@switchboard/domain/media';
import type { Translator } from '../texts/translator.js';
import { accountCard } from './account-card.js';
import type { MediaPath } from './decision-page.js';
import { html, type Markup } from './html.js';

export const describePost = (
  { deliveries, timezone }: PostSubject,
  mediaPath: MediaPath,
  translator: Translator,
): Markup => {
  const time = (date: Date) => html`${translator.time(date, timezone)} <small>${timezone}</small>`;
  return html`${deliveries.map(
    (delivery) =>
      html`<section class="delivery">
        <h2>
          ${accountCard({ account: delivery.account, platform: delivery.platform.id }, delivery.platform.name)}
        </h2>
        <dl class="facts">
          <dt>${translator.markup('publishTime')}</dt>
          <dd>${delivery.isDue ? translator.markup('publishAtOnce') : time(delivery.scheduledAt)}</dd>
          <dt>${translator.markup('publishLatest')}</dt>
          <dd>${time(delivery.notAfter)}</dd>
        </dl>
        ${delivery.parts.map((part, at) =>
          describePart(part, at, delivery, (index) => mediaPath(delivery.id, at, index), translator),
        )}
        ${delivery.options.length > 0 && describeOptions(delivery.options, translator)}
      </section>`,
  )}`;
};

function describePart(
  { kind, title, text, link, length, media }: DecisionPart,
  at: number,
  { platform }: DecisionDelivery,
  pathOf: (index: number) => string,
  translator: Translator,
): Markup {
  const max = length?.max ?? 0;
  return html`<article>
    ${kind === 'thread' && html`<h3>${translator.markup('partReply', { number: at })}</h3>`}
    ${kind === 'comment' && html`<h3>${translator.markup('partComment')}</h3>`}
    ${title !== null && html`<p>${translator.markup('postTitle', { title: isolateText(title) })}</p>`}
    ${
      text === ''
        ? html`<p class="lead">${translator.markup('noText')}</p>`
        : html`<p class="text" dir="auto">${text}</p>`
    }
    ${length && html`<p class="count">${translator.markup('textLength', { used: length.used, max, platform: platform.name })}</p>`}
    ${link !== null && html`<p>${translator.markup('postLink', { link: isolateText(link) })}</p>`}
    ${media.map((one, index) => describeMedia(one, { index, count: media.length }, pathOf(index), translator))}
  </article>`;
}

function describeMedia(
  { media, altText }: DecisionMedia,
  { index, count }: { readonly index: number; readonly count: number },
  path: string,
  translator: Translator,
): Markup {
  const numbered = { number: index + 1, count };
  return html`<figure>
    ${
      media?.status === 'ready' && media.file
        ? showFile(media.file, path, altText ?? translator.text('mediaNumber', numbered), translator)
        : html`<p class="note">
            ${translator.markup(media?.status === 'processing' ? 'mediaPending' : 'mediaBroken')}
          </p>`
    }
    <figcaption>
      ${translator.markup('mediaNumber', numbered)} ·
      ${
        altText === null
          ? translator.markup('noAltText')
          : translator.markup('altTextIs', { text: isolateText(altText) })
      }
    </figcaption>
  </figure>`;
}

function showFile(
  { type, width, height }: NonNullable<Media['file']>,
  path: string,
  label: string,
  translator: Translator,
): Markup {
  const size = width !== null && height !== null && html`width="${width}" height="${height}"`;
  if (type.startsWith('image/')) return html`<img src="${path}" alt="${label}" ${size} />`;
  if (type.startsWith('video/'))
    return html`<video src="${path}" controls preload="metadata" aria-label="${label}" ${size}></video>`;
  return html`<a class="button quiet" href="${path}">${translator.markup('openFile')}</a>`;
}

const describeOptions = (options: readonly DecisionOption[], translator: Translator): Markup =>
  html`<h3>${translator.markup('postOptions')}</h3>
    <dl class="facts">
      ${options.map(
        ({ label, value }) =>
          html`<dt>${label}</dt>
            <dd>${describeValue(value, translator)}</dd>`,
      )}
    </dl>`;

function describeValue(value: unknown, translator: Translator): Markup | string {
  if (typeof value === 'boolean') return translator.text(value ? 'yes' : 'no');
  const text = Array.isArray(value) ? value.join(', ') : value;
  return isolateText(typeof text === 'string' ? text : JSON.stringify(text));
}

/** Text of a third party at its full length, in its own direction. */
const isolateText = (text: string): Markup => html`<bdi class="plain">${text}</bdi>`;
