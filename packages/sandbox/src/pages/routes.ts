import { Router } from 'express';
import type { Account } from '../account.js';
import { NOTICES } from '../control/notices.js';
import { page, text } from '../wire/response.js';
import { faultFreeEndpoint } from '../wire/endpoint.js';
import { notFound } from '../wire/response.js';
import { pathText, queryText } from '../wire/parameters.js';
import type { PlatformName, World } from '../world.js';
import { homePage } from './home-page.js';
import { avatarIcon, platformIcon } from './icons.js';
import { STYLESHEET } from './stylesheet.js';

const LATEST = 20;
const CACHED = { 'cache-control': 'max-age=60' };

/** The sandbox's home page and the shared assets. */
export function sharedPages(
  world: World,
  accounts: Readonly<Record<PlatformName, readonly Account[]>>,
): Router {
  const router = Router()
    .get(
      '/',
      faultFreeEndpoint(world, (request) => {
        const done = queryText(request, 'done') ?? '';
        const markup = homePage({
          notice: Object.hasOwn(NOTICES, done) ? NOTICES[done as keyof typeof NOTICES] : undefined,
          now: world.clock.now(),
          faults: world.faults.list(),
          settings: world.settings.current(),
          latest: world.ledger.entries().slice(-LATEST).reverse(),
        });
        // With `no-referrer`, browsers send `Origin: null`, and the control endpoints could not verify the
        // origin of a form.
        return page(200, markup, { 'referrer-policy': 'same-origin' });
      }),
    )
    .get(
      '/_assets/sandbox.css',
      faultFreeEndpoint(world, () => text('text/css; charset=utf-8', STYLESHEET, CACHED)),
    )
    .get(
      '/_assets/:name.svg',
      faultFreeEndpoint(world, (request) => {
        const name = pathText(request, 'name');
        return name === 'social' || name === 'store' || name === 'sandbox'
          ? text('image/svg+xml', platformIcon(name), CACHED)
          : notFound();
      }),
    );
  for (const platform of ['social', 'store'] as const) {
    router.get(
      `/${platform}/avatars/:account.svg`,
      faultFreeEndpoint(world, (request) => {
        const account = accounts[platform].find(({ id }) => id === pathText(request, 'account'));
        return account ? text('image/svg+xml', avatarIcon(account), CACHED) : notFound();
      }),
    );
  }
  return router;
}
