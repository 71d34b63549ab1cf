import type { Account } from '../account.js';
import type { PlatformName } from '../world.js';
import { escape } from './html.js';

const MARKS: Readonly<Record<PlatformName | 'sandbox', readonly [background: string, drawing: string]>> = {
  social: [
    '#6d4aff,#c026d3',
    '<path d="M18 20h28a5 5 0 0 1 5 5v15a5 5 0 0 1-5 5H32l-9 8v-8h-5a5 5 0 0 1-5-5V25a5 5 0 0 1 5-5z"/>',
  ],
  store: [
    '#0d9488,#2563eb',
    '<path d="M17 25h30l3 26a3 3 0 0 1-3 3H17a3 3 0 0 1-3-3z"/><path d="M24 29v-6a8 8 0 0 1 16 0v6" fill="none" stroke="#fff" stroke-width="4"/>',
  ],
  sandbox: [
    '#1e293b,#475569',
    '<circle cx="21" cy="22" r="6"/><circle cx="43" cy="22" r="6"/><circle cx="21" cy="43" r="6"/><circle cx="43" cy="43" r="6"/><path d="M21 22 43 43" stroke="#fbbf24" stroke-width="4" stroke-linecap="round"/>',
  ],
};

export function platformIcon(name: PlatformName | 'sandbox'): string {
  const [background, drawing] = MARKS[name];
  const [from = '', to = ''] = background.split(',');
  return svg(
    `${gradient(from, to)}<rect width="64" height="64" rx="16" fill="url(#g)"/><g fill="#fff">${drawing}</g>`,
  );
}

export function avatarIcon({ name, hues: [from, to] }: Account): string {
  const letters = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const initials = letters
    .slice(0, 2)
    .map((word) => [...word][0])
    .join('');
  return svg(
    `${gradient(`hsl(${from} 68% 56%)`, `hsl(${to} 62% 42%)`)}<rect width="64" height="64" fill="url(#g)"/>` +
      `<text x="32" y="33" fill="#fff" font-family="system-ui,sans-serif" font-size="25" font-weight="600" text-anchor="middle" dominant-baseline="central">${escape(initials)}</text>`,
  );
}

function gradient(from: string, to: string): string {
  return `<linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>`;
}

function svg(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${content}</svg>`;
}
