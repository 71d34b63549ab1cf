import type { PlatformName } from '../world.js';

export const PLATFORM_TITLES: Readonly<Record<PlatformName, string>> = {
  social: 'Sandbox Social',
  store: 'Sandbox Store',
};

interface LayoutOptions {
  readonly title: string;
  /** Applies the color theme of one platform; omitted for the sandbox's own pages. */
  readonly platform?: PlatformName | undefined;
  readonly narrow?: boolean;
  readonly content: MarkupPart;
}

export function layout({ title, platform, narrow = false, content }: LayoutOptions): Markup {
  const brand = platform ? PLATFORM_TITLES[platform] : 'Switchboard sandbox';
  const home = platform === 'social' ? '/social/feed' : platform === 'store' ? '/store/orders' : '/';
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title} · ${brand}</title>
      <link rel="icon" href="/_assets/${platform ?? 'sandbox'}.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/_assets/sandbox.css" />
    </head>
    <body class="${platform ?? 'sandbox'}">
      <header class="bar">
        <a class="brand" href="${home}"
          ><img src="/_assets/${platform ?? 'sandbox'}.svg" alt="" width="28" height="28" />${brand}</a
        >
        ${platform && !narrow && html`<a class="quiet" href="/">About this sandbox</a>`}
      </header>
      <main class="${narrow ? 'narrow' : 'wide'}">${content}</main>
      <footer class="foot">
        <p>A sandbox on this machine. All accounts are fictional. No messages are sent and no money moves.</p>
      </footer>
    </body>
  </html>`;
}

/** Text that is already HTML. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type MarkupPart = Markup | string | number | null | undefined | false | readonly MarkupPart[];

/** Escapes every value that is not markup itself, so that user text can never become part of a page. */
export function html(strings: TemplateStringsArray, ...pieces: readonly MarkupPart[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + render(pieces[index - 1]) + string));
}

function render(piece: MarkupPart): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(render).join('');
  return escape(String(piece));
}

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A table with its column names; those from `endFrom` on are aligned at the end. */
export const table = (
  columns: readonly string[],
  rows: MarkupPart,
  { endFrom = columns.length, foot }: { readonly endFrom?: number; readonly foot?: MarkupPart } = {},
): Markup => {
  const heading = (name: string, at: number) =>
    html`<th scope="col" ${at >= endFrom && html`class="end"`}>${name}</th>`;
  return html`<table>
    <thead>
      <tr>
        ${columns.map(heading)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
    ${foot}
  </table>`;
};

/** A UTC day. */
export const formatDay = (at: string): string =>
  new Date(at).toLocaleDateString('en', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });

export function messagePage(says: {
  readonly platform?: PlatformName;
  readonly title: string;
  readonly message: string;
}): Markup {
  return layout({
    title: says.title,
    platform: says.platform,
    narrow: true,
    content: html`<section class="card message">
      <h1>${says.title}</h1>
      <p>${says.message}</p>
    </section>`,
  });
}
