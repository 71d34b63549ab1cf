import type { Response } from 'express';
import { toWebUrl, isolateName, sanitizeName } from './isolate-name.js';
import { pageHeaders } from './page-headers.js';
import { type Page, nameOf, type Brand } from './page.js';
import { accentOf } from './accent.js';
import { html, Markup } from './html.js';
import { styleOf } from './style.js';

/** Sends a page with its security headers. */
export function sendPage(response: Response, page: Page, https: boolean): void {
  const { document, style } = layout(page);
  response
    .set(
      pageHeaders({
        style,
        formTargets: page.formTargets,
        media: page.showsMedia,
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

/** The whole document with its inline style sheet, whose hash is in the content security policy. */
function layout({ title, content, brand, translator, footer }: Page): {
  readonly document: string;
  readonly style: string;
} {
  const style = styleOf(accentOf(brand?.accentColor ?? null));
  const name = brand && nameOf(brand);
  const heading = name === null ? title : `${title} · ${sanitizeName(name)}`;
  const page = html`<!doctype html>
    <html lang="${translator.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="data:," />
        <title>${heading}</title>
        ${new Markup(`<style>${style}</style>`)}
      </head>
      <body>
        ${brand && name !== null && bannerOf(brand, name)}
        <main>${content}</main>
        ${footerOf({ brand, translator, footer })}
      </body>
    </html> `;
  return { document: page.text, style };
}

function bannerOf(brand: Brand, name: string): Markup {
  const logo = toWebUrl(brand.logoUrl);
  const letter = [...sanitizeName(name)][0]?.toUpperCase() ?? '·';
  return html`<header>
    ${
      logo ? html`<img src="${logo}" alt="" />` : html`<span class="tile" aria-hidden="true">${letter}</span>`
    }${isolateName(name)}
  </header>`;
}

function footerOf({ brand, translator, footer }: Pick<Page, 'brand' | 'translator' | 'footer'>): Markup {
  const privacy = toWebUrl(brand?.privacyUrl ?? null);
  const mail = brand?.supportEmail ?? null;
  return html`<footer>
    ${footer !== null && html`<p>${translator.markup('keptEncrypted')}</p>`}
    ${privacy && html`<a href="${privacy}">${translator.markup('privacy')}</a>`}
    ${mail && html`<a href="mailto:${encodeURIComponent(mail).replace('%40', '@')}">${translator.markup('help')}</a>`}
  </footer>`;
}
