import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Ability, Platform } from '@switchboard/domain';
import { catalogue } from '../../catalogue.js';
import { contradictions } from '../define-platform.js';
import { platformRegistry } from '../registry.js';
import { benchOf } from './bench.js';
import { failuresContract } from './failures-contract.js';
import { ordersContract } from './orders-contract.js';
import { publishingContract } from './publishing-contract.js';
import { refundsContract } from './refunds-contract.js';
import { responsesContract } from './responses-contract.js';
import { rivalsContract } from './rivals-contract.js';
import type { World } from './world.js';

const abilities: readonly Ability[] = ['publishing', 'analytics', 'orders', 'refunds'];

/** Proves what is promised of every platform, on a running one. Called once in a platform's `contract.test.ts`. */
export function platformContract(
  whole: Platform,
  start: () => Promise<World>,
  way = whole.manifest.connect[0].id,
): void {
  const platform = asConnected(whole, way);
  let running: World | undefined;
  const contacted = new Set<string>();
  const bench = benchOf(
    platform,
    () => running,
    way,
    ({ url }) => contacted.add(url.origin),
  );
  const { world } = bench;

  const [first] = platform.manifest.connect;
  const called = way === first.id ? platform.manifest.id : `${platform.manifest.id} by ${way}`;
  describe(`${called} keeps the contract of platforms:`, () => {
    beforeAll(async () => {
      running = await start();
    });
    afterAll(() => running?.close());
    afterEach(() => {
      world().mend();
      expect([...contacted].filter((origin) => origin !== new URL(world().baseUrl).origin)).toEqual([]);
    });

    test('its facts and its abilities agree', () => expect(contradictions(whole)).toEqual([]));

    test('it recognises the account, and nothing about it depends on what the session believes', async () => {
      const id = world().typedAccount ?? 'somebody-else';
      const stranger = { id, username: null, name: null, avatarUrl: null, url: null };
      const session = { ...bench.open(), account: stranger };
      const accounts = bench.value(await platform.connecting.identify(session));
      expect(accounts.map((account) => account.id)).toContain(world().account.id);
    });

    absencesContract(whole);
    const remove = whole.publishing?.remove?.bind(whole.publishing);
    if (remove && platform !== whole) {
      test('what cannot be removed when it is connected this way is not even asked about', async () => {
        const before = world().requests();
        const part = { externalId: '1', url: null, receipt: {} };
        expect(bench.code(await remove(bench.open(), part))).toBe('platform.permission_missing');
        expect(world().requests()).toBe(before);
      });
    }
    failuresContract(bench);
    if (platform.publishing) {
      publishingContract(bench, platform.publishing);
      rivalsContract(platform, platform.publishing, start, way);
    }
    if (platform.orders) ordersContract(bench, platform.orders);
    if (platform.refunds && platform.orders) refundsContract(bench, platform.refunds, platform.orders);
    responsesContract(platform, start, way);
  });
}

/** The platform as far as it goes for an account that is connected this way. */
function asConnected(platform: Platform, way: string): Platform {
  const keeps = platform.manifest.connect.some(({ id, unpublishes }) => id === way && unpublishes === false);
  if (!keeps || !platform.publishing) return platform;
  const publishing = { ...platform.publishing };
  delete publishing.remove;
  return { ...platform, publishing };
}

/** What a platform cannot do is as much a promise as what it can. */
function absencesContract(platform: Platform): void {
  const others = catalogue.filter(({ manifest }) => manifest.id !== platform.manifest.id);
  const { manifests } = platformRegistry([platform, ...others], { missing: () => [], clientId: () => null });
  const told = manifests.abilities(platform.manifest.id);
  test.each(abilities)('it says truthfully whether it has %s', (ability) => {
    expect(told[ability] !== null).toBe(platform[ability] !== undefined);
    expect(platform.manifest.permissions[ability] !== undefined).toBe(platform[ability] !== undefined);
  });
  test('it says truthfully how far each ability goes', () => {
    const { publishing, analytics, refunds } = platform;
    expect(told.publishing?.readBack ?? false).toBe(publishing?.find !== undefined);
    expect(told.publishing?.unpublish ?? false).toBe(publishing?.remove !== undefined);
    expect(told.analytics?.account ?? false).toBe(analytics?.ofAccount !== undefined);
    expect(told.refunds?.readBack ?? false).toBe(refunds?.find !== undefined);
    expect(manifests.rules(platform.manifest.id) !== null).toBe(publishing !== undefined);
  });
}
