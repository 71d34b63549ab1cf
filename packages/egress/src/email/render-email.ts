import type { Notification } from '@switchboard/domain/attention';

/** The text and the HTML of an e-mail. The HTML needs no images, scripts or fonts. */
export function renderEmail(notification: Notification): { readonly text: string; readonly html: string } {
  return { text: renderText(notification), html: renderHtml(notification) };
}

function renderText({ heading, items, more, footer }: Notification): string {
  const blocks = items.map(({ title, quote, text, link, reference }) =>
    [
      `* ${title}`,
      ...(quote === null ? [] : [`  “${oneLine(quote)}”`]),
      `  ${text}`,
      ...(link === null ? [] : [`  ${link.label}: ${link.url}`]),
      ...(reference === null ? [] : [`  ${reference}`]),
    ].join('\n'),
  );
  return `${[heading, ...blocks, ...(more === null ? [] : [more]), ['-- ', ...footer].join('\n')].join('\n\n')}\n`;
}

const STYLE = `
  body { margin: 0; background: #f4f5f7; color: #1c2430; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
  main { max-width: 36rem; margin: 0 auto; padding: 24px 16px; }
  h1 { font-size: 20px; line-height: 1.3; margin: 0 0 16px; overflow-wrap: anywhere; }
  h2 { font-size: 16px; line-height: 1.3; margin: 0 0 8px; }
  section { background: #ffffff; border: 1px solid #d8dde4; border-radius: 8px; padding: 16px; margin: 0 0 12px; }
  p { margin: 0 0 8px; overflow-wrap: anywhere; }
  .quote { border-left: 3px solid #b8c0cc; padding-left: 10px; }
  .button { display: inline-block; background: #1f4fd1; color: #ffffff; text-decoration: none; padding: 10px 16px; border-radius: 6px; font-weight: 600; }
  .reference, footer p { color: #5a6472; font-size: 13px; }
  section > :last-child { margin-bottom: 0; }
  @media (prefers-color-scheme: dark) {
    body { background: #14181f; color: #e7ebf0; }
    section { background: #1d232c; border-color: #3a4452; }
    .quote { border-color: #566275; }
    .button { background: #8fb0ff; color: #10151d; }
    .reference, footer p { color: #a7b1bf; }
  }`;

function renderHtml({ subject, heading, items, more, footer }: Notification): string {
  const sections = items.map(
    ({ title, quote, text, link, reference }) =>
      `<section><h2>${escape(title)}</h2>` +
      (quote === null ? '' : `<p class="quote">${escape(oneLine(quote))}</p>`) +
      `<p>${escape(text)}</p>` +
      (link === null ? '' : `<p><a class="button" href="${escape(link.url)}">${escape(link.label)}</a></p>`) +
      (reference === null ? '' : `<p class="reference">${escape(reference)}</p>`) +
      '</section>',
  );
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">',
    `<title>${escape(subject)}</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${escape(heading)}</h1>`,
    ...sections,
    more === null ? '' : `<p>${escape(more)}</p>`,
    `<footer>${footer.map((line) => `<p>${escape(line)}</p>`).join('')}</footer></main></body></html>`,
  ].join('\n');
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
