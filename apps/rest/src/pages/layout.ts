import { accentOf } from './accent.js';
import { foreign, plain, webUrl } from './foreign.js';
import { html, Markup } from './html.js';
import { nameOf, type Brand, type Page } from './page.js';
import { styleOf } from './style.js';

/** The whole document, and the style sheet in it, whose hash the policy names. */
export function layout({ title, content, brand, words }: Page): {
  readonly document: string;
  readonly style: string;
} {
  const style = styleOf(accentOf(brand?.accentColor ?? null));
  const heading = brand ? `${title} · ${plain(nameOf(brand))}` : title;
  const page = html`<!doctype html>
    <html lang="${words.language}">
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
        ${footerOf({ brand, words })}
      </body>
    </html> `;
  return { document: page.text, style };
}

function bannerOf(brand: Brand): Markup {
  const name = nameOf(brand);
  const logo = webUrl(brand.logoUrl);
  const letter = [...plain(name)][0]?.toUpperCase() ?? '·';
  return html`<header>
    ${
      logo ? html`<img src="${logo}" alt="" />` : html`<span class="tile" aria-hidden="true">${letter}</span>`
    }${foreign(name)}
  </header>`;
}

function footerOf({ brand, words }: Pick<Page, 'brand' | 'words'>): Markup {
  const privacy = webUrl(brand?.privacyUrl ?? null);
  const mail = brand?.supportEmail ?? null;
  return html`<footer>
    <p>${words.say('keptEncrypted')}</p>
    ${privacy && html`<a href="${privacy}">${words.say('privacy')}</a>`}
    ${mail && html`<a href="mailto:${encodeURIComponent(mail).replace('%40', '@')}">${words.say('help')}</a>`}
  </footer>`;
}
