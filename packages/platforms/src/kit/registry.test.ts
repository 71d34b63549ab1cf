import { expect, test } from '@jest/globals';
import { catalogue } from '../catalogue.js';
import { platformRegistry } from './registry.js';

const registry = platformRegistry(catalogue, {
  missing: ({ id }) => (id === 'bluesky' ? [] : [`${id}_ID`]),
  clientId: () => null,
});
const { platforms, manifests } = registry;

test('every platform of the catalogue is found by its id', () => {
  for (const platform of catalogue) {
    expect(platforms.find(platform.manifest.id)).toBe(platform);
    expect(manifests.find(platform.manifest.id)).toBe(platform.manifest);
  }
  expect(platforms.list()).toEqual(catalogue);
  expect(manifests.list()).toEqual(catalogue.map((platform) => platform.manifest));
});

test('an unknown platform is null, can do nothing and misses nothing', () => {
  for (const id of ['nope', 'toString', '__proto__', '']) {
    expect([platforms.find(id), manifests.find(id), manifests.rules(id)]).toEqual([null, null, null]);
    expect(manifests.abilities(id)).toEqual({
      publishing: null,
      analytics: null,
      orders: null,
      refunds: null,
    });
    expect(manifests.missing(id)).toEqual([]);
  }
});

test('abilities are what is there', () => {
  expect(manifests.abilities('sandbox_social')).toEqual({
    publishing: { readBack: true, unpublish: true },
    analytics: { posts: true, account: true },
    orders: null,
    refunds: null,
  });
  expect(manifests.abilities('sandbox_store')).toEqual({
    publishing: null,
    analytics: null,
    orders: { filters: expect.arrayContaining(['createdAfter', 'statuses']) },
    refunds: { readBack: true },
  });
});

test('an ability that goes less far says so', () => {
  const [full] = catalogue.filter((platform) => platform.publishing?.find);
  if (!full?.publishing) throw new Error('no platform can read back');
  const { find: _find, remove: _remove, ...publishing } = full.publishing;
  const short = platformRegistry([{ ...full, publishing }], { missing: () => [], clientId: () => null });
  expect(short.manifests.abilities(full.manifest.id).publishing).toEqual({
    readBack: false,
    unpublish: false,
  });
});

test('what is missing is asked of whoever knows the environment', () => {
  expect(manifests.missing('bluesky')).toEqual([]);
  expect(manifests.missing('sandbox_store')).toEqual(['sandbox_store_ID']);
});

test('a way through a platform that there is not is a mistake of ours', () => {
  const [one] = catalogue;
  if (!one) throw new Error('there is no platform');
  const [first] = one.manifest.connect;
  const lost = {
    ...one,
    manifest: { ...one.manifest, connect: [{ ...first, through: 'nowhere' }] as const },
  };
  expect(() => platformRegistry([lost], { missing: () => [], clientId: () => null })).toThrow('nowhere');
});

test('two platforms with one id are a mistake of ours', () => {
  expect(() =>
    platformRegistry([...catalogue, ...catalogue], { missing: () => [], clientId: () => null }),
  ).toThrow('same id');
});
