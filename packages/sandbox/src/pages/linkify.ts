import type { MarkupPart } from './html.js';
import { html } from './html.js';

/** Text with clickable web addresses; punctuation that ends the sentence is not part of the address. */
export function linkify(text: string): MarkupPart[] {
  return text.split(/(https?:\/\/[^\s<>"]+)/gi).flatMap((part, index): MarkupPart[] => {
    if (index % 2 === 0) return [part];
    const address = part.replace(/[.,;:!?)\]}'’”]+$/u, '');
    if (!URL.canParse(address)) return [part];
    return [link(address, address.replace(/^https?:\/\//i, '')), part.slice(address.length)];
  });
}

export function link(address: string, label: MarkupPart): MarkupPart {
  return html`<a href="${address}" rel="noopener noreferrer nofollow">${label}</a>`;
}
