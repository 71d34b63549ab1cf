import type { Router } from 'express';
import type { PlatformName, World, Account } from '../world.js';
import { NOTICES } from '../control/control.js';
import { notFound, page, text } from '../wire/response.js';
import { faultFreeEndpoint, type EndpointHandler, routesOf } from '../wire/endpoint.js';
import { pathText, queryText } from '../wire/parameters.js';
import { homePage } from './home-page.js';
import { STYLESHEET } from './stylesheet.js';
import { escape } from './layout.js';

const LATEST = 20;
const CACHED = { 'cache-control': 'max-age=60' };

/** The sandbox's home page and the shared assets. */
export function sharedPages(
  world: World,
  accounts: Readonly<Record<PlatformName, readonly Account[]>>,
): Router {
  const readHome: EndpointHandler = (request) => {
    const done = queryText(request, 'done') ?? '';
    const markup = homePage({
      notice: Object.hasOwn(NOTICES, done) ? NOTICES[done as keyof typeof NOTICES] : undefined,
      now: world.clock.now(),
      faults: world.faults.list(),
      settings: world.settings.current(),
      latest: world.ledger.entries().slice(-LATEST).reverse(),
    });
    // With `no-referrer`, browsers send `Origin: null`, and the control endpoints could not verify the origin
    // of a form.
    return page(200, markup, { 'referrer-policy': 'same-origin' });
  };
  const avatarOf =
    (platform: PlatformName): EndpointHandler =>
    (request) => {
      const account = accounts[platform].find(({ id }) => id === pathText(request, 'account'));
      return account ? text('image/svg+xml', avatarIcon(account), CACHED) : notFound();
    };
  const routes: Readonly<Record<string, EndpointHandler>> = {
    'GET /': readHome,
    'GET /_assets/sandbox.css': () => text('text/css; charset=utf-8', STYLESHEET, CACHED),
    'GET /_assets/:name.svg': (request) => {
      const name = pathText(request, 'name');
      return name === 'social' || name === 'store' || name === 'sandbox'
        ? text('image/svg+xml', platformIcon(name), CACHED)
        : notFound();
    },
    'GET /social/avatars/:account.svg': avatarOf('social'),
    'GET /store/avatars/:account.svg': avatarOf('store'),
  };
  return routesOf(routes, (handle) => faultFreeEndpoint(world, handle));
}

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

function platformIcon(name: PlatformName | 'sandbox'): string {
  const [background, drawing] = MARKS[name];
  const [from = '', to = ''] = background.split(',');
  return svg(
    `${gradient(from, to)}<rect width="64" height="64" rx="16" fill="url(#g)"/><g fill="#fff">${drawing}</g>`,
  );
}

function avatarIcon({ name, hues: [from, to] }: Account): string {
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
