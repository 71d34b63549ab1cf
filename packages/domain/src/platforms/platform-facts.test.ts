import { expect, test } from '@jest/globals';
import type { ConnectWay, Manifest } from '../ports/index.js';
import { homeOf } from './home-of.js';
import { platformFacts, servingFor } from './platform-facts.js';

const abilities = () => ({ publishing: null, analytics: null, orders: null, refunds: null });
const way = (id: string, needsApp: boolean) => ({ id, needsApp }) as ConnectWay;
const shop = (...connect: readonly ConnectWay[]) => ({ id: 'acme', connect }) as unknown as Manifest;
const twofold = shop(way('oauth', true), { ...way('page', true), through: 'book' });
const mixed = shop(way('oauth', true), way('own_app', false), way('key', false));

const factsOf = async (manifest: Manifest, { own = [] as string[], operators = [] as string[] }) => {
  const isTheirs = (one: ConnectWay) => !one.needsApp || operators.includes(homeOf(manifest, one));
  const serving = await servingFor(
    {
      platformApps: { listServing: async () => own.map((platform) => ({ platform })) } as never,
      manifests: {
        missing: (id) => (manifest.connect.some(isTheirs) ? [] : [`${id}_ID`]),
        clientId: (id) => (operators.includes(id) ? 'operator' : null),
      },
    },
    'wsp_1' as never,
    null,
  );
  return platformFacts({ abilities, find: (id) => ({ id }) as Manifest }, manifest, serving);
};
const waysOf = async (...asked: Parameters<typeof factsOf>) => {
  const { ways, missing } = await factsOf(...asked);
  return [ways.map(({ id }) => id), missing] as const;
};

test('a way that needs an app is offered first where one serves, whoever set it up', async () => {
  for (const serving of [{ operators: ['acme'] }, { own: ['acme'] }]) {
    expect(await waysOf(mixed, serving)).toEqual([['oauth', 'own_app', 'key'], []]);
  }
});

test('without an app nobody is led a way that ends at once', async () => {
  expect(await waysOf(mixed, { own: ['other'] })).toEqual([['own_app', 'key'], []]);
});

test('where no way can be gone, all of them are named, and what the first one lacks', async () => {
  expect(await waysOf(shop(way('oauth', true)), {})).toEqual([['oauth'], ['acme_ID']]);
  expect(await waysOf(twofold, {})).toEqual([['oauth', 'page'], ['acme_ID']]);
});

test('a way through another platform is offered where an app of that one serves, whoever set it up', async () => {
  for (const serving of [{ operators: ['book'] }, { own: ['book'] }]) {
    expect(await waysOf(twofold, serving)).toEqual([['page'], []]);
  }
  expect(await waysOf(twofold, { operators: ['acme'] })).toEqual([['oauth'], []]);
  expect(await waysOf(twofold, { own: ['acme'], operators: ['book'] })).toEqual([['oauth', 'page'], []]);
  const { homes } = await factsOf(twofold, {});
  expect([...homes].map(([id, home]) => [id, home.id])).toEqual([
    ['oauth', 'acme'],
    ['page', 'book'],
  ]);
});
