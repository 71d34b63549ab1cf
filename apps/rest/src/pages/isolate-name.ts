import { html, type Markup } from './html.js';

const NAME_MAX = 120;

/**
 * A third-party name (of a workspace, a profile, an account), isolated from our own text: it cannot change
 * the direction of the surrounding text, break the line or push other content off the page.
 */
export const isolateName = (text: string): Markup => html`<bdi>${sanitizeName(text)}</bdi>`;

/** The same for titles and attributes, which take no markup. */
export function sanitizeName(text: string): string {
  const clean = text
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...clean];
  return characters.length > NAME_MAX ? `${characters.slice(0, NAME_MAX - 1).join('')}…` : clean;
}

/** A link target from the settings of a workspace, or null when a page should not link to it. */
export function toWebUrl(text: string | null): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}
