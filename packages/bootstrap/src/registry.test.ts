import { expect, test } from '@jest/globals';
import { catalog } from '@switchboard/platforms';
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
    expect(manifests.findRules(platform.manifest.id)).toBe(platform.publishing ?? null);
  }
  expect(platforms.list()).toEqual(catalog);
  expect(manifests.list()).toEqual(catalog.map((platform) => platform.manifest));
});

test('an unknown platform is null, has no abilities and lacks no setting', () => {
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

test('abilities are derived from the implementation', () => {
  expect(manifests.getAbilities('sandbox_social')).toEqual({
    publishing: { readBack: true, unpublish: true, edit: true },
    analytics: { posts: true, account: true, elsewhere: true },
    orders: null,
    refunds: null,
  });
  expect(manifests.getAbilities('sandbox_store')).toEqual({
    publishing: null,
    analytics: null,
    orders: { webhooks: [], filters: expect.arrayContaining(['createdAfter', 'statuses']) },
    refunds: { readBack: true },
  });
});

test('an ability with restrictions declares them', () => {
  const [full] = catalog.filter((platform) => platform.publishing?.find);
  if (!full?.publishing) throw new Error('no platform can read back');
  const { find: _find, remove: _remove, edit: _edit, ...publishing } = full.publishing;
  const short = platformRegistry([{ ...full, publishing }], { missing: () => [], clientId: () => null });
  expect(short.manifests.getAbilities(full.manifest.id).publishing).toEqual({
    readBack: false,
    unpublish: false,
    edit: false,
  });
});

test('missing settings are determined from the environment', () => {
  expect(manifests.listMissingVariables('bluesky')).toEqual([]);
  expect(manifests.listMissingVariables('sandbox_store')).toEqual(['sandbox_store_ID']);
});

test('rejects a connect method that uses the app of an unknown platform', () => {
  const [one] = catalog;
  if (!one) throw new Error('unknown platform');
  const [first] = one.manifest.connect;
  const lost = {
    ...one,
    manifest: { ...one.manifest, connect: [{ ...first, appPlatform: 'nowhere' }] as const },
  };
  expect(() => platformRegistry([lost], { missing: () => [], clientId: () => null })).toThrow('nowhere');
});

test('rejects two platforms with one ID', () => {
  expect(() =>
    platformRegistry([...catalog, ...catalog], { missing: () => [], clientId: () => null }),
  ).toThrow('same id');
});
