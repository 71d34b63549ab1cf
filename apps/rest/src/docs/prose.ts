import { html, type Markup } from '../pages/html.js';

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\((\/[\w/#.-]*)\)/g;

/** The little Markdown that our own descriptions use: paragraphs, lists, code, bold text and local links. */
export const prose = (text: string): readonly Markup[] =>
  text.split('\n\n').map((block) => {
    const items = block.split(/(?:^|\n)- /);
    return items.length === 1
      ? html`<p>${inline(block)}</p>`
      : html`<ul>
          ${items.filter((item) => item !== '').map((item) => html`<li>${inline(item)}</li>`)}
        </ul>`;
  });

export function inline(text: string): readonly (Markup | string)[] {
  const parts: (Markup | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold, label, url] = match;
    parts.push(text.slice(end, match.index));
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (bold !== undefined) parts.push(html`<strong>${bold}</strong>`);
    else parts.push(html`<a href="${url}">${label}</a>`);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}
