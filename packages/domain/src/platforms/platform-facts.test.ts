import { expect, test } from '@jest/globals';
import type { ConnectMethod, Manifest } from '../ports/index.js';
import { appPlatformOf } from './app-platform-of.js';
import { buildPlatformFacts, getAppAvailability } from './platform-facts.js';

const abilities = () => ({ publishing: null, analytics: null, orders: null, refunds: null });
const connectMethod = (id: string, needsApp: boolean) => ({ id, needsApp }) as ConnectMethod;
const shop = (...connect: readonly ConnectMethod[]) => ({ id: 'acme', connect }) as unknown as Manifest;
const twofold = shop(connectMethod('oauth', true), { ...connectMethod('page', true), appPlatform: 'book' });
const mixed = shop(
  connectMethod('oauth', true),
  connectMethod('own_app', false),
  connectMethod('key', false),
);

const factsOf = async (manifest: Manifest, { own = [] as string[], operators = [] as string[] }) => {
  const isTheirs = (one: ConnectMethod) => !one.needsApp || operators.includes(appPlatformOf(manifest, one));
  const serving = await getAppAvailability(
    {
      platformApps: { listApplicable: async () => own.map((platform) => ({ platform })) } as never,
      manifests: {
        listMissingVariables: (id) => (manifest.connect.some(isTheirs) ? [] : [`${id}_ID`]),
        findClientId: (id) => (operators.includes(id) ? 'operator' : null),
      },
    },
    'wsp_1' as never,
    null,
  );
  return buildPlatformFacts(
    { getAbilities: abilities, find: (id) => ({ id }) as Manifest },
    manifest,
    serving,
  );
};
const waysOf = async (...asked: Parameters<typeof factsOf>) => {
  const { connectMethods, missing } = await factsOf(...asked);
  return [connectMethods.map(({ id }) => id), missing] as const;
};

test('a connect method that needs an app is offered first when an app exists, regardless of its source', async () => {
  for (const serving of [{ operators: ['acme'] }, { own: ['acme'] }]) {
    expect(await waysOf(mixed, serving)).toEqual([['oauth', 'own_app', 'key'], []]);
  }
});

test('without an app, connect methods that need one are not offered', async () => {
  expect(await waysOf(mixed, { own: ['other'] })).toEqual([['own_app', 'key'], []]);
});

test('when no connect method is available, all are listed with what the first one lacks', async () => {
  expect(await waysOf(shop(connectMethod('oauth', true)), {})).toEqual([['oauth'], ['acme_ID']]);
  expect(await waysOf(twofold, {})).toEqual([['oauth', 'page'], ['acme_ID']]);
});

test('a connect method through another platform is offered when an app of that platform exists, regardless of its source', async () => {
  for (const serving of [{ operators: ['book'] }, { own: ['book'] }]) {
    expect(await waysOf(twofold, serving)).toEqual([['page'], []]);
  }
  expect(await waysOf(twofold, { operators: ['acme'] })).toEqual([['oauth'], []]);
  expect(await waysOf(twofold, { own: ['acme'], operators: ['book'] })).toEqual([['oauth', 'page'], []]);
  const { appPlatforms } = await factsOf(twofold, {});
  expect([...appPlatforms].map(([id, home]) => [id, home.id])).toEqual([
    ['oauth', 'acme'],
    ['page', 'book'],
  ]);
});
