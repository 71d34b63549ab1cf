import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Ability,
  type Platform,
  type PublishItem,
  type Result,
  type Session,
} from '@switchboard/domain';
import { catalogue } from '../../catalogue.js';
import { contradictions } from '../define-platform.js';
import { platformRegistry } from '../registry.js';
import { postOf } from './calls.js';
import { failuresContract } from './failures-contract.js';
import { ordersContract } from './orders-contract.js';
import { publishingContract } from './publishing-contract.js';
import { refundsContract } from './refunds-contract.js';
import { testSession } from './session.js';
import type { World } from './world.js';

/** What every part of the contract works with. */
export interface Bench {
  readonly platform: Platform;
  readonly world: () => World;
  /** A line to the account; everything that it contacts is checked. */
  readonly open: (more?: {
    readonly token?: string;
    readonly signal?: AbortSignal;
    readonly deadlineSeconds?: number;
  }) => Session;
  /** A post that the platform takes, unlike every other in its reference. */
  readonly post: (text: string, more?: Partial<PublishItem>) => PublishItem;
  /** The value of a success; what was refused instead is told. */
  readonly value: <Value>(result: Result<Value>) => Value;
  /** The code of a failure, `ok` for a success. No failure may hold the token. */
  readonly code: (result: Result<unknown>) => string;
}

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
  const world = (): World => {
    if (!running) throw new Error('the world has not started');
    return running;
  };
  const bench: Bench = {
    platform,
    world,
    open: (more = {}) =>
      testSession({
        baseUrl: world().baseUrl,
        account: world().account,
        way,
        token: world().token,
        permissions: world().permissions ?? [],
        subject: world().subject,
        apiVersion: platform.manifest.apiVersion,
        otherOrigins: [platform.manifest.uploadBaseUrl, platform.manifest.analyticsBaseUrl],
        deadlineSeconds: 5,
        onRequest: ({ url }) => contacted.add(url.origin),
        ...more,
      }),
    // Asked for before it has started, too, where only the words matter.
    post: (text, more) => postOf(platform, text, more, running?.needs),
    value(result) {
      if (!result.ok) throw new Error(`${result.failure.code}: ${JSON.stringify(result.failure)}`);
      return result.value;
    },
    code(result) {
      if (result.ok) return 'ok';
      for (const secret of [world().token, world().expiredToken, world().weakToken]) {
        expect(JSON.stringify(result.failure)).not.toContain(secret);
      }
      return result.failure.code;
    },
  };

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
    if (platform.publishing) publishingContract(bench, platform.publishing);
    if (platform.orders) ordersContract(bench, platform.orders);
    if (platform.refunds && platform.orders) refundsContract(bench, platform.refunds, platform.orders);
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
