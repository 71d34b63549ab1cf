import type { PlainTextKey } from '../texts/texts.js';
import type { Translator } from '../texts/translator.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import type { Brand, Page } from './page.js';

interface Notice {
  readonly status: number;
  readonly title: PlainTextKey;
  readonly lines: readonly PlainTextKey[];
  readonly after?: Markup | undefined;
  readonly brand?: Brand | undefined;
  readonly footer?: null;
}

const notice = (translator: Translator, { status, title, lines, after, brand, footer }: Notice): Page => ({
  status,
  title: translator.text(title),
  brand: brand ?? null,
  footer,
  translator,
  content: html`<div class="mark">${icons.neutral}</div>
    <h1>${translator.markup(title)}</h1>
    ${lines.map((line) => html`<p class="lead">${translator.markup(line)}</p>`)} ${after}`,
});

const retryLink = (translator: Translator, path: string): Markup =>
  html`<div class="after"><a class="button" href="${path}">${translator.markup('tryAgain')}</a></div>`;

/** An unknown link: mistyped, truncated, or of a deleted workspace. */
export const unknownLinkPage = (translator: Translator): Page =>
  notice(translator, { status: 404, title: 'linkNotValid', lines: ['linkNotValidWhy'] });

/**
 * The same page for every cause (used twice, another browser, too late, forged), without any content of the
 * request.
 */
export const nothingOpenPage = (translator: Translator, status: 400 | 404): Page =>
  notice(translator, { status, title: 'nothingWaiting', lines: ['nothingWaitingWhy', 'nothingWaitingNext'] });

export const nothingToConnectPage = (translator: Translator, brand: Brand): Page =>
  notice(translator, { status: 409, title: 'nothingToConnect', lines: ['nothingToConnectWhy'], brand });

/** Shown when cookies are blocked, a form was open too long, or another site sent it. */
export const refusedFormPage = (translator: Translator, path: string): Page =>
  notice(translator, {
    status: 403,
    title: 'notThrough',
    lines: ['notThroughWhy'],
    after: retryLink(translator, path),
  });

export const unreadableFormPage = (translator: Translator, status: number, path: string): Page =>
  notice(translator, {
    status,
    title: 'notThrough',
    lines: ['unreadableForm'],
    after: retryLink(translator, path),
  });

/** The same page for every cause: decided, too late, another browser, invented. */
export const signInEndedPage = (translator: Translator): Page =>
  notice(translator, {
    status: 404,
    title: 'signInEnded',
    lines: ['signInEndedWhy', 'signInEndedNext'],
    footer: null,
  });

/** An authorization request that must not be redirected: its client or its redirect URI is not valid. */
export const signInRefusedPage = (translator: Translator, status: number): Page =>
  notice(translator, {
    status,
    title: 'signInRefused',
    lines: ['signInRefusedWhy', 'signInRefusedNext'],
    footer: null,
  });

export const wrongMethodPage = (translator: Translator): Page =>
  notice(translator, { status: 405, title: 'notPossible', lines: ['startOver'] });

/** An internal error or an unavailable dependency. */
export const brokenPage = (translator: Translator, status: number, requestId: string): Page =>
  notice(translator, {
    status,
    title: 'internalError',
    lines: ['internalErrorNext'],
    after: html`<p class="reference">${translator.markup('reference')} <code>${requestId}</code></p>`,
  });
