import type { TextKey } from '../texts/texts.js';
import type { Words } from '../texts/words.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import type { Brand, Page } from './page.js';

type Plain =
  | 'linkNotValid'
  | 'linkNotValidWhy'
  | 'nothingWaiting'
  | 'nothingWaitingWhy'
  | 'nothingWaitingNext'
  | 'nothingToConnect'
  | 'nothingToConnectWhy'
  | 'notThrough'
  | 'notThroughWhy'
  | 'unreadableForm'
  | 'notPossible'
  | 'startOver'
  | 'ourSide'
  | 'ourSideNext';

interface Notice {
  readonly status: number;
  readonly title: Plain & TextKey;
  readonly lines: readonly (Plain & TextKey)[];
  readonly after?: Markup | undefined;
  readonly brand?: Brand | undefined;
}

const notice = (words: Words, { status, title, lines, after, brand }: Notice): Page => ({
  status,
  title: words.text(title),
  brand: brand ?? null,
  words,
  content: html`<div class="mark">${icons.neutral}</div>
    <h1>${words.say(title)}</h1>
    ${lines.map((line) => html`<p class="lead">${words.say(line)}</p>`)} ${after}`,
});

const again = (words: Words, path: string): Markup =>
  html`<div class="after"><a class="button" href="${path}">${words.say('tryAgain')}</a></div>`;

/** A link that nobody knows: mistyped, cut off, or of a workspace that is gone. */
export const unknownLinkPage = (words: Words): Page =>
  notice(words, { status: 404, title: 'linkNotValid', lines: ['linkNotValidWhy'] });

/** The same whatever is the matter: used twice, another browser, too late, invented. Nothing of the request is repeated. */
export const nothingOpenPage = (words: Words, status: 400 | 404): Page =>
  notice(words, { status, title: 'nothingWaiting', lines: ['nothingWaitingWhy', 'nothingWaitingNext'] });

export const nothingToConnectPage = (words: Words, brand: Brand): Page =>
  notice(words, { status: 409, title: 'nothingToConnect', lines: ['nothingToConnectWhy'], brand });

/** Cookies that are blocked, a form that lay open for long, or another site that sent it. */
export const refusedFormPage = (words: Words, path: string): Page =>
  notice(words, { status: 403, title: 'notThrough', lines: ['notThroughWhy'], after: again(words, path) });

export const unreadableFormPage = (words: Words, status: number, path: string): Page =>
  notice(words, { status, title: 'notThrough', lines: ['unreadableForm'], after: again(words, path) });

export const wrongMethodPage = (words: Words): Page =>
  notice(words, { status: 405, title: 'notPossible', lines: ['startOver'] });

/** Something of ours is broken or away. */
export const brokenPage = (words: Words, status: number, requestId: string): Page =>
  notice(words, {
    status,
    title: 'ourSide',
    lines: ['ourSideNext'],
    after: html`<p class="reference">${words.say('reference')} <code>${requestId}</code></p>`,
  });
