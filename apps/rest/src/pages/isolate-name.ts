import { html, type Markup } from './html.js';

const NAME_MAX = 120;

/**
 * A name that somebody else chose (a workspace, a profile, an account), set apart from our own words: it cannot turn the
 * direction of the text around it, break the line or push everything else off the page.
 */
export const isolateName = (text: string): Markup => html`<bdi>${sanitizeName(text)}</bdi>`;

/** The same for places that take no markup: titles and attributes. */
export function sanitizeName(text: string): string {
  const clean = text
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...clean];
  return characters.length > NAME_MAX ? `${characters.slice(0, NAME_MAX - 1).join('')}…` : clean;
}

/** A link target from a workspace's settings, or null when it is not one that a page should lead to. */
export function toWebUrl(text: string | null): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}
