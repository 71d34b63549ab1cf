import { html, type Markup } from './html.js';
import { platformLogos } from './platform-logos.js';

/** Decorative: every icon has text beside it with the same meaning. */
const icon = (path: string, size: number): Markup =>
  html`<svg
    aria-hidden="true"
    width="${size}"
    height="${size}"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2.4"
    stroke-linecap="round"
    stroke-linejoin="round"
  >
    <path d="${path}" />
  </svg>`;

export const icons = {
  tick: icon('M5 12.5l4.5 4.5L19 7.5', 18),
  next: icon('M9 5l7 7-7 7', 18),
  good: icon('M5 12.5l4.5 4.5L19 7.5', 30),
  bad: icon('M7 7l10 10M17 7L7 17', 30),
  neutral: icon('M12 7v6M12 17v.01', 30),
};

/** The platform's logo in a tile, or its first letter. The platform's name is always beside it. */
export function platformTile(id: string, name: string): Markup {
  const logo = platformLogos[id];
  return html`<span class="tile" aria-hidden="true"
    >${
      logo === undefined
        ? name.charAt(0)
        : html`<svg width="22" height="22" viewBox="0 0 24 24" fill="currentColor"><path d="${logo}" /></svg>`
    }</span
  >`;
}
