import type { Response } from 'express';
import { toWebUrl } from './isolate-name.js';
import { layout } from './layout.js';
import { pageHeaders } from './page-headers.js';
import type { Page } from './page.js';

/** Sends a page with its security headers. */
export function sendPage(response: Response, page: Page, https: boolean): void {
  const { document, style } = layout(page);
  response
    .set(
      pageHeaders({
        style,
        formTargets: page.formTargets,
        logo: toWebUrl(page.brand?.logoUrl ?? null),
        https,
      }),
    )
    .status(page.status)
    .set('Content-Language', page.translator.language)
    .type('html')
    .send(document);
}

/**
 * 303: the next request is a GET, regardless of the method, so that a form is never forwarded to another
 * site.
 */
export function seeOther(response: Response, url: string, https: boolean): void {
  response.set(pageHeaders({ https })).status(303).location(url).end();
}
