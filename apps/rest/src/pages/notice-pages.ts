import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import type { Brand, Page } from './page.js';

const notice = (status: number, title: string, content: Markup, brand: Brand | null = null): Page => ({
  status,
  title,
  brand,
  content: html`<div class="mark">${icons.neutral}</div>
    <h1>${title}</h1>
    ${content}`,
});

const reference = (requestId: string) =>
  html`<p class="reference">If you ask for help, name this reference: <code>${requestId}</code></p>`;

/** A link that nobody knows: mistyped, cut off, or of a workspace that is gone. */
export const unknownLinkPage = (): Page =>
  notice(
    404,
    'This link is not valid',
    html`<p class="lead">
      Perhaps it was cut off when it was copied. Open it again from where you got it, or ask for a new one.
    </p>`,
  );

/** The same whatever is the matter: used twice, another browser, too late, invented. Nothing of the request is repeated. */
export const nothingOpenPage = (status: 400 | 404): Page =>
  notice(
    status,
    'Nothing is waiting here',
    html`<p class="lead">
        Either this step is done already, or it was begun in another browser, or it took too long.
      </p>
      <p class="lead">If your account is not connected yet, open your link again and start over.</p>`,
  );

export const nothingToConnectPage = (brand: Brand): Page =>
  notice(
    409,
    'There is nothing to connect',
    html`<p class="lead">No platform is set up here at the moment. Tell whoever sent you this link.</p>`,
    brand,
  );

/** Cookies that are blocked, a form that lay open for long, or another site that sent it. */
export const refusedFormPage = (path: string): Page =>
  notice(
    403,
    'That did not come through',
    html`<p class="lead">
        This page could not make sure that it was you who sent the form. Cookies have to be allowed here, for
        a moment only.
      </p>
      <div class="after"><a class="button" href="${path}">Try again</a></div>`,
  );

export const unreadableFormPage = (status: number, path: string): Page =>
  notice(
    status,
    'That did not come through',
    html`<p class="lead">The form could not be read.</p>
      <div class="after"><a class="button" href="${path}">Try again</a></div>`,
  );

export const wrongMethodPage = (): Page =>
  notice(405, 'That is not possible here', html`<p class="lead">Open your link again and start over.</p>`);

/** Something of ours is broken or away. */
export const brokenPage = (status: number, requestId: string): Page =>
  notice(
    status,
    'Something went wrong on our side',
    html`<p class="lead">Nothing was lost. Wait a moment, then open your link again.</p>
      ${reference(requestId)}`,
  );
