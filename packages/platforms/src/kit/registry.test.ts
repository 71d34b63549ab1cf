import { expect, test } from '@jest/globals';
import { catalog } from '../catalog.js';
import { platformRegistry } from './registry.js';

const registry = platformRegistry(catalog, {
  missing: ({ id }) => (id === 'bluesky' ? [] : [`${id}_ID`]),
  clientId: () => null,
});
const { platforms, manifests } = registry;

test('every platform of the catalog is found by its id', () => {
  for (const platform of catalog) {
    expect(platforms.find(platform.manifest.id)).toBe(platform);
    expect(manifests.find(platform.manifest.id)).toBe(platform.manifest);
  }
  expect(platforms.list()).toEqual(catalog);
  expect(manifests.list()).toEqual(catalog.map((platform) => platform.manifest));
});

test('an unknown platform is null, can do nothing and misses nothing', () => {
  for (const id of ['nope', 'toString', '__proto__', '']) {
    expect([platforms.find(id), manifests.find(id), manifests.findRules(id)]).toEqual([null, null, null]);
    expect(manifests.getAbilities(id)).toEqual({
      publishing: null,
      analytics: null,
      orders: null,
      refunds: null,
    });
    expect(manifests.listMissingVariables(id)).toEqual([]);
  }
});

test('abilities are what is there', () => {
  expect(manifests.getAbilities('sandbox_social')).toEqual({
    publishing: { readBack: true, unpublish: true },
    analytics: { posts: true, account: true },
    orders: null,
    refunds: null,
  });
  expect(manifests.getAbilities('sandbox_store')).toEqual({
    publishing: null,
    analytics: null,
    orders: { filters: expect.arrayContaining(['createdAfter', 'statuses']) },
    refunds: { readBack: true },
  });
});

test('an ability that goes less far says so', () => {
  const [full] = catalog.filter((platform) => platform.publishing?.find);
  if (!full?.publishing) throw new Error('no platform can read back');
  const { find: _find, remove: _remove, ...publishing } = full.publishing;
  const short = platformRegistry([{ ...full, publishing }], { missing: () => [], clientId: () => null });
  expect(short.manifests.getAbilities(full.manifest.id).publishing).toEqual({
    readBack: false,
    unpublish: false,
  });
});

test('what is missing is asked of whoever knows the environment', () => {
  expect(manifests.listMissingVariables('bluesky')).toEqual([]);
  expect(manifests.listMissingVariables('sandbox_store')).toEqual(['sandbox_store_ID']);
});

test('a way through a platform that there is not is a mistake of ours', () => {
  const [one] = catalog;
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
    platformRegistry([...catalog, ...catalog], { missing: () => [], clientId: () => null }),
  ).toThrow('same id');
});
