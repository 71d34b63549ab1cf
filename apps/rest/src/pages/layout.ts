import { accentOf } from './accent.js';
import { isolateName, sanitizeName, toWebUrl } from './isolate-name.js';
import { html, Markup } from './html.js';
import { nameOf, type Brand, type Page } from './page.js';
import { styleOf } from './style.js';

/** The whole document with its inline style sheet, whose hash is in the content security policy. */
export function layout({ title, content, brand, translator }: Page): {
  readonly document: string;
  readonly style: string;
} {
  const style = styleOf(accentOf(brand?.accentColor ?? null));
  const heading = brand ? `${title} · ${sanitizeName(nameOf(brand))}` : title;
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
        ${brand && bannerOf(brand)}
        <main>${content}</main>
        ${footerOf({ brand, translator })}
      </body>
    </html> `;
  return { document: page.text, style };
}

function bannerOf(brand: Brand): Markup {
  const name = nameOf(brand);
  const logo = toWebUrl(brand.logoUrl);
  const letter = [...sanitizeName(name)][0]?.toUpperCase() ?? '·';
  return html`<header>
    ${
      logo ? html`<img src="${logo}" alt="" />` : html`<span class="tile" aria-hidden="true">${letter}</span>`
    }${isolateName(name)}
  </header>`;
}

function footerOf({ brand, translator }: Pick<Page, 'brand' | 'translator'>): Markup {
  const privacy = toWebUrl(brand?.privacyUrl ?? null);
  const mail = brand?.supportEmail ?? null;
  return html`<footer>
    <p>${translator.markup('keptEncrypted')}</p>
    ${privacy && html`<a href="${privacy}">${translator.markup('privacy')}</a>`}
    ${mail && html`<a href="mailto:${encodeURIComponent(mail).replace('%40', '@')}">${translator.markup('help')}</a>`}
  </footer>`;
}
