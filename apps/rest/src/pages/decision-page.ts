import type { Decision, DecisionSubject } from '@switchboard/domain/approvals';
import type { Translator } from '../texts/translator.js';
import { amountOf } from './amount-of.js';
import { describePost } from './describe-post.js';
import { describeRefund } from './describe-refund.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';
import { isolateName } from './isolate-name.js';
import { UNNAMED, type Page } from './page.js';

/** Where the page of an approval finds a file exactly as it is sent. */
export type MediaPath = (deliveryId: string, part: number, index: number) => string;

/** A rejection that could not be accepted, because its note is missing or too long. */
export interface RejectedForm {
  readonly note: string;
}

export const NOTE_MAX = 1000;

/** The page on which a person decides: exactly what happens, and two forms. */
export function decisionPage(
  decision: Decision & { readonly subject: DecisionSubject },
  forms: Forms,
  mediaPath: MediaPath,
  translator: Translator,
  rejected: RejectedForm | null = null,
): Page {
  const { subject, workspace } = decision;
  const [title, heading] =
    subject.kind === 'post'
      ? [translator.text('decidePost'), translator.markup('decidePost')]
      : [
          translator.text('decideRefund', { amount: textOf(amountOf(subject.refund.amount)) }),
          translator.markup('decideRefund', { amount: amountOf(subject.refund.amount) }),
        ];
  return {
    status: rejected ? 422 : 200,
    title: rejected ? translator.text('errorTitle', { title }) : title,
    brand: workspace,
    formTargets: forms.targets,
    showsMedia: subject.kind === 'post',
    translator,
    footer: null,
    content: html`<h1>${heading}</h1>
      <p class="lead">${translator.markup('decideWhy')}</p>
      ${factsOf(decision, translator)}
      ${
        subject.kind === 'post'
          ? describePost(subject, mediaPath, translator)
          : describeRefund(subject, translator)
      }
      ${decisionForms(decision, forms, translator, rejected)}`,
  };
}

const textOf = ({ text }: Markup) => text.replace(/<[^>]*>/g, '');

function factsOf({ approval, workspace, profile, requestedBy }: Decision, translator: Translator): Markup {
  const timezone = profile?.timezone ?? workspace.defaultTimezone;
  return html`<dl class="facts">
    ${
      profile &&
      profile.name !== UNNAMED &&
      html`<dt>${translator.markup('forWhom')}</dt>
        <dd>${isolateName(profile.name)}</dd>`
    }
    ${
      requestedBy !== null &&
      html`<dt>${translator.markup('requestedByWhom')}</dt>
        <dd>${isolateName(requestedBy)}</dd>`
    }
    <dt>${translator.markup('requestedWhen')}</dt>
    <dd>${translator.time(approval.requestedAt, timezone)}</dd>
    <dt>${translator.markup('decideUntil')}</dt>
    <dd>${translator.time(approval.expiresAt, timezone)}</dd>
  </dl>`;
}

const isWaitingForMedia = (subject: DecisionSubject): boolean =>
  subject.kind === 'post' &&
  subject.deliveries.some(({ parts }) =>
    parts.some(({ media }) => media.some((one) => one.media?.status === 'processing')),
  );

/** Approving is impossible while the bytes of a file are unknown; rejecting asks for a note. */
function decisionForms(
  { subject, digest }: Decision & { readonly subject: DecisionSubject },
  { path, csrf }: Forms,
  translator: Translator,
  rejected: RejectedForm | null,
): Markup {
  const hidden = html`<input type="hidden" name="csrf" value="${csrf}" /><input
      type="hidden"
      name="digest"
      value="${digest}"
    />`;
  return html`<div class="after">
    ${
      isWaitingForMedia(subject)
        ? html`<p class="note">${translator.markup('mediaPendingWhy')}</p>`
        : html`<form method="post" action="${path}/approve">
            ${hidden}<button>${translator.markup('approve')}</button>
          </form>`
    }
    <details class="reject" ${rejected && html` open`}>
      <summary>${translator.markup('reject')}</summary>
      <form method="post" action="${path}/reject">
        ${hidden}
        <div class="field">
          <label for="note">${translator.markup('rejectNote')}</label>
          <p class="hint" id="note-hint">${translator.markup('rejectNoteHint')}</p>
          <textarea
            id="note"
            name="note"
            rows="4"
            maxlength="${NOTE_MAX}"
            required
            ${rejected && html`aria-invalid="true" autofocus `}aria-describedby="note-hint${rejected && ' note-wrong'}"
          >
${rejected?.note}</textarea>
          ${rejected && html`<p class="wrong" id="note-wrong" role="alert">${translator.markup('rejectNoteMissing')}</p>`}
        </div>
        <button class="danger">${translator.markup('reject')}</button>
      </form>
    </details>
  </div>`;
}
