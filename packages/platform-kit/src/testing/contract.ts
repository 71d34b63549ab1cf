import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Ability, Platform } from '@switchboard/domain/ports';
import { abilitiesOf } from '../abilities-of.js';
import { findContradictions } from '../define-platform.js';
import { createContractContext } from './contract-context.js';
import { failuresContract } from './failures-contract.js';
import { ordersContract } from './orders-contract.js';
import { publishingContract } from './publishing-contract.js';
import { refundsContract } from './refunds-contract.js';
import { responsesContract } from './responses-contract.js';
import { webhooksContract } from './webhooks-contract.js';
import { similarPostsContract } from './similar-posts-contract.js';
import { hasManyEffects, type World } from './world.js';

const abilities: readonly Ability[] = ['publishing', 'analytics', 'orders', 'refunds'];

/**
 * Verifies the contract of every platform against a running one. Called once in a platform's
 * `contract.test.ts`.
 */
export function platformContract(
  whole: Platform,
  start: () => Promise<World>,
  connectMethod = whole.manifest.connect[0].id,
): void {
  const platform = limitToConnectMethod(whole, connectMethod);
  let running: World | undefined;
  const contacted = new Set<string>();
  const bench = createContractContext(
    platform,
    () => running,
    connectMethod,
    ({ url }) => contacted.add(url.origin),
  );
  const { world } = bench;

  const [first] = platform.manifest.connect;
  const called =
    connectMethod === first.id ? platform.manifest.id : `${platform.manifest.id} by ${connectMethod}`;
  describe(`${called} satisfies the platform contract:`, () => {
    beforeAll(async () => {
      running = await start();
    });
    afterAll(async () => {
      await running?.close();
      running = undefined;
    });
    afterEach(async () => {
      world().repair();
      expect([...contacted].filter((origin) => origin !== new URL(world().baseUrl).origin)).toEqual([]);
      if (!hasManyEffects(world())) return;
      await world().close();
      contacted.clear();
      running = await start();
    });

    test('its facts and its abilities agree', () => expect(findContradictions(whole)).toEqual([]));

    test('it identifies the account independently of the session’s assumptions', async () => {
      const id = world().enteredAccount ?? 'other-account';
      const unknownAccount = { id, username: null, name: null, avatarUrl: null, url: null };
      const session = { ...bench.open(), account: unknownAccount };
      const accounts = bench.value(await platform.connecting.identify(session));
      expect(accounts.map((account) => account.id)).toContain(world().account.id);
    });

    absencesContract(whole);
    const remove = whole.publishing?.remove?.bind(whole.publishing);
    if (remove && platform !== whole) {
      test('what this connect method cannot remove is rejected before any request', async () => {
        const before = world().requests();
        const part = { externalId: '1', url: null, receipt: {} };
        expect(bench.code(await remove(bench.open(), part))).toBe('platform.permission_missing');
        expect(world().requests()).toBe(before);
      });
    }
    failuresContract(bench);
    if (platform.publishing) {
      publishingContract(bench, platform.publishing);
      similarPostsContract(platform, platform.publishing, start, connectMethod);
    }
    if (platform.orders) ordersContract(bench, platform.orders);
    if (platform.orders?.webhooks) webhooksContract(bench, platform.orders.webhooks);
    if (platform.refunds && platform.orders) refundsContract(bench, platform.refunds, platform.orders);
    responsesContract(platform, start, connectMethod);
  });
}

/** The platform with the restrictions of the account's connect method. */
function limitToConnectMethod(platform: Platform, connectMethod: string): Platform {
  const keeps = platform.manifest.connect.some(
    ({ id, supportsUnpublish }) => id === connectMethod && supportsUnpublish === false,
  );
  if (!keeps || !platform.publishing) return platform;
  const publishing = { ...platform.publishing };
  delete publishing.remove;
  return { ...platform, publishing };
}

/** An absent ability is part of the contract as much as a present one. */
function absencesContract(platform: Platform): void {
  const reported = abilitiesOf(platform);
  test.each(abilities)('it declares truthfully whether it has %s', (ability) => {
    expect(reported[ability] !== null).toBe(platform[ability] !== undefined);
    expect(platform.manifest.permissions[ability] !== undefined).toBe(platform[ability] !== undefined);
  });
  test('it declares truthfully how far each ability goes', () => {
    const { publishing, analytics, refunds } = platform;
    expect(reported.publishing?.readBack ?? false).toBe(publishing?.find !== undefined);
    expect(reported.publishing?.edit ?? false).toBe(publishing?.edit !== undefined);
    expect(reported.publishing?.unpublish ?? false).toBe(publishing?.remove !== undefined);
    expect(reported.analytics?.posts ?? false).toBe(analytics?.ofPosts !== undefined);
    expect(reported.analytics?.account ?? false).toBe(
      analytics?.ofAccount !== undefined || analytics?.ofDays !== undefined,
    );
    expect(reported.refunds?.readBack ?? false).toBe(refunds?.find !== undefined);
    const { webhooks } = platform.orders ?? {};
    expect((reported.orders?.webhooks ?? []).length > 0).toBe(webhooks !== undefined);
  });
}
