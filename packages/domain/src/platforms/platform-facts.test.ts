import { expect, test } from '@jest/globals';
import type { ConnectWay, Manifest } from '../ports/index.js';
import { platformFacts, servingFor } from './platform-facts.js';

const abilities = () => ({ publishing: null, analytics: null, orders: null, refunds: null });
const way = (id: string, needsApp: boolean) => ({ id, needsApp }) as ConnectWay;
const shop = (...connect: readonly ConnectWay[]) => ({ id: 'acme', connect }) as unknown as Manifest;
const mixed = shop(way('oauth', true), way('own_app', false), way('key', false));

const waysOf = async (manifest: Manifest, { own = [] as string[], clientId = null as string | null }) => {
  const serving = await servingFor(
    {
      platformApps: { listServing: async () => own.map((platform) => ({ platform })) } as never,
      manifests: { missing: () => [], clientId: () => clientId },
    },
    'wsp_1' as never,
    null,
  );
  return platformFacts({ abilities }, manifest, serving).ways.map(({ id }) => id);
};

test('a way that needs an app is offered first where one serves, whoever set it up', async () => {
  expect(await waysOf(mixed, { clientId: 'operator' })).toEqual(['oauth', 'own_app', 'key']);
  expect(await waysOf(mixed, { own: ['acme'] })).toEqual(['oauth', 'own_app', 'key']);
});

test('without an app nobody is led a way that ends at once', async () => {
  expect(await waysOf(mixed, { own: ['other'] })).toEqual(['own_app', 'key']);
});

test('where no way can be gone, all of them are named', async () => {
  expect(await waysOf(shop(way('oauth', true)), {})).toEqual(['oauth']);
});
