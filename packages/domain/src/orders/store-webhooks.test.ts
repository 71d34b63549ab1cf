import { beforeEach, describe, expect, test } from '@jest/globals';
import { plaintextVault } from '../../testing/environment/plaintext-vault.js';
import { memoryStore, type MemoryStore } from '../../testing/stores/memory-store.js';
import {
  memoryWebhooksOfStore,
  type MemoryWebhooksOfStore,
} from '../../testing/stores/memory-webhooks-of-store.js';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { randomSeeds } from '../../testing/repetitions.js';
import { seededRandom } from '../../testing/stores/seeded-random.js';
import { createStoreFixture, type StoreFixture } from '../../testing/stores/store-fixture.js';
import type { Connection } from '../connections/connection.js';
import { refuse } from '../failure.js';
import type { OrderWebhooks, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { Secret } from '../secret.js';
import { addMissingStoreWebhooks, maintainStoreWebhooks } from './maintain-store-webhooks.js';
import { offersStoreWebhooks } from './offers-store-webhooks.js';
import { POLL_MS, QUIET_MS } from './order-watch.js';
import type { RemoteOrder } from './order.js';
import { pollOrderChanges } from './poll-order-changes.js';
import { readNotifiedOrder } from './read-notified-order.js';
import { receiveStoreWebhook } from './receive-store-webhook.js';

const DAY_MS = 86_400_000;
/** Certain ones: ORDER_FEED_SEEDS=7,8,9. */
const seeds = randomSeeds('ORDER_FEED_SEEDS', { few: 2, many: 12 });
const never = new AbortController().signal;
const unexpected = (error: unknown) => {
  throw error;
};

let s: StoreFixture;
let store: MemoryStore;
let webhooks: MemoryWebhooksOfStore;
let connection: Connection;
let ports: Ports;
let vault: ReturnType<typeof plaintextVault>;
let publicUrl: string;
let appSecret: Result<Secret, 'platform.not_configured'>;

beforeEach(() => open('chosen'));

function open(secret: OrderWebhooks['secret']) {
  s = createStoreFixture();
  webhooks = memoryWebhooksOfStore(secret);
  store = memoryStore({ clock: s.clock });
  Object.assign(store.platform, { orders: { ...store.platform.orders, webhooks: webhooks.ability } });
  connection = s.connect(store, { watchOrders: true });
  vault = plaintextVault();
  publicUrl = 'https://switchboard.example';
  appSecret = ok(new Secret('of the app'));
  let random = 0;
  ports = {
    ...s.ports,
    vault,
    settings: {
      get publicUrl() {
        return publicUrl;
      },
    },
    tokens: { ...s.ports.tokens, random: () => `random-${++random}` },
    manifests: {
      ...s.ports.manifests,
      list: () => [{ id: connection.platform, connect: [{ id: connection.connectMethod }] }],
      getAbilities: () => ({ orders: { filters: [], webhooks: [connection.connectMethod] } }),
    },
    sessions: { ...s.ports.sessions, findAppSecret: async () => appSecret },
  } as unknown as Ports;
}

const keyOf = ({ workspaceId, id }: Connection) => ({ workspaceId, connectionId: id });
/** As a change of the connection does it. */
async function watch(on = true) {
  await ports.connections.find(connection.workspaceId, connection.id);
  await ports.transactions.run(async (tx) => {
    await tx.connections.update(connection.workspaceId, connection.id, { watchOrders: on });
    if (on) await tx.orderWatches.start({ ...keyOf(connection), since: s.clock.now() });
    else await tx.orderWatches.delete(connection.workspaceId, connection.id);
    const isOffered = on && offersStoreWebhooks(ports, connection);
    await tx.storeWebhooks.wake(keyOf(connection), isOffered ? { address: ports.tokens.random() } : null);
    return ok();
  });
}
const maintain = () => maintainStoreWebhooks(ports, never, unexpected);
const poll = () => pollOrderChanges(ports, never, unexpected);
const find = () => ports.storeWebhooks.find(connection.workspaceId, connection.id);
const receive = async ({ address, headers, text }: ReturnType<MemoryWebhooksOfStore['send']>[number]) => {
  const received = await receiveStoreWebhook(ports, {
    address,
    headers,
    readBody: async () => new TextEncoder().encode(text),
  });
  return received.ok ? 'ok' : received.failure.code;
};
const queued = () => s.jobs().flatMap(({ job }) => (job.name === 'read_order' ? [job] : []));
const changes = () =>
  s
    .events()
    .filter(({ type }) => type.startsWith('order.'))
    .map(({ type, data }) => [type, data['external_id'], data['updated_at']] as const);
const put = (externalId: string, over: Partial<RemoteOrder> = {}) => {
  const order = remoteOrder({ externalId, createdAt: s.clock.now(), updatedAt: s.clock.now(), ...over });
  store.put(order);
  return order;
};

describe('registering', () => {
  test.each(['chosen', 'issued', 'app'] as const)(
    'happens once while orders are watched, with the %s secret sealed, and ends with the watch',
    async (kind) => {
      open(kind);
      await watch();
      for (const _ of [1, 2, 3]) await maintain();
      expect(webhooks.calls).toEqual({ register: 1, remove: 0 });
      const [[id, registered] = []] = webhooks.registered;
      const stored = await find();
      expect(stored).toMatchObject({ externalIds: [id], failures: 0 });
      expect(registered?.url).toBe(`https://switchboard.example/store-webhooks/${stored?.address}`);
      const secret = registered?.secret.reveal() ?? '';
      expect(secret).toMatch({ chosen: /^random-/, issued: /^issued for/, app: /^of the app$/ }[kind]);
      expect(new TextDecoder().decode(stored?.sealedSecret ?? undefined)).toContain('store_webhooks');
      s.clock.advance(DAY_MS);
      await maintain();
      expect(webhooks.calls.register).toBe(2);
      expect(await find()).toMatchObject({ address: stored?.address, externalIds: [id] });
      await watch(false);
      await maintain();
      expect([webhooks.calls.remove, webhooks.registered.size, await find()]).toEqual([1, 0, null]);
    },
  );

  test('whose response was lost is repeated with the same URL and secret', async () => {
    webhooks.switches.losesResponse = true;
    await watch();
    await maintain();
    const [[, before] = []] = [...webhooks.registered];
    webhooks.switches.losesResponse = false;
    s.clock.advance(5 * POLL_MS);
    await maintain();
    expect(webhooks.registered.size).toBe(1);
    const [[, after] = []] = [...webhooks.registered];
    expect([after?.url, after?.secret.reveal()]).toEqual([before?.url, before?.secret.reveal()]);
    const [request] = webhooks.send('so_1');
    expect(request && (await receive(request))).toBe('ok');
  });

  test('waits longer and longer for a store that fails, and a day for one that refuses', async () => {
    webhooks.switches.fails = 'platform.unavailable';
    await watch();
    for (let minute = 0; minute < 60; minute++) {
      await maintain();
      s.clock.advance(POLL_MS);
    }
    expect(webhooks.calls.register).toBeGreaterThan(3);
    expect(webhooks.calls.register).toBeLessThan(10);
    webhooks.switches.fails = 'platform.permission_missing';
    s.clock.advance(DAY_MS);
    await maintain();
    const { register } = webhooks.calls;
    s.clock.advance(DAY_MS / 2);
    await maintain();
    expect(webhooks.calls.register).toBe(register);
    s.clock.advance(DAY_MS / 2);
    await maintain();
    expect(webhooks.calls.register).toBe(register + 1);
  });

  test('needs a public URL with https, and follows when there is one, for watches that exist', async () => {
    publicUrl = 'http://127.0.0.1:3000';
    await watch();
    await addMissingStoreWebhooks(ports, never);
    await maintain();
    expect([await find(), webhooks.calls.register]).toEqual([null, 0]);
    publicUrl = 'https://switchboard.example';
    await addMissingStoreWebhooks(ports, never);
    await addMissingStoreWebhooks(ports, never);
    await maintain();
    expect(webhooks.calls.register).toBe(1);
    publicUrl = 'http://127.0.0.1:3000';
    s.clock.advance(DAY_MS);
    await maintain();
    expect([webhooks.registered.size, await find()]).toEqual([0, null]);
  });

  test('is not possible without the secret of the app, and uses a new one', async () => {
    open('app');
    appSecret = refuse('platform.not_configured', 'There is none.');
    await watch();
    await maintain();
    expect(webhooks.calls.register).toBe(0);
    for (const secret of ['first', 'second']) {
      appSecret = ok(new Secret(secret));
      s.clock.advance(DAY_MS);
      await maintain();
      const [request] = webhooks.send('so_1');
      expect(request?.headers.secret).toBe(secret);
      expect(request && (await receive(request))).toBe('ok');
    }
  });

  test('that is overtaken by the end of the watch leaves nothing behind', async () => {
    await watch();
    const { register } = webhooks.ability;
    Object.assign(webhooks.ability, {
      register: async (...args: Parameters<typeof register>) => {
        await watch(false);
        return register(...args);
      },
    });
    await maintain();
    await maintain();
    expect([webhooks.registered.size, await find()]).toEqual([0, null]);
  });
});

describe('a webhook', () => {
  beforeEach(async () => {
    await watch();
    await maintain();
    await poll();
  });

  test('causes that its order is read, whatever else it says, and a change is reported once', async () => {
    const order = put('so_1');
    const [request] = webhooks.send('so_1');
    if (!request) throw new Error('nothing was sent');
    for (const _ of [1, 2, 3]) expect(await receive(request)).toBe('ok');
    expect(queued()).toEqual([{ name: 'read_order', ...keyOf(connection), externalId: 'so_1' }]);
    for (const job of [...queued(), ...queued()])
      expect(await readNotifiedOrder(ports, job, never)).toMatchObject({ ok: true });
    s.clock.advance(POLL_MS);
    await poll();
    expect(changes()).toEqual([['order.created', 'so_1', order.updatedAt.toISOString()]]);
  });

  test('that is forged, or sent to an unknown address, has no effect and is not read further', async () => {
    const [request] = webhooks.send('so_1');
    if (!request) throw new Error('nothing was sent');
    const read: string[] = [];
    const tryTo = async (over: Partial<typeof request>) => {
      const { address, headers, text } = { ...request, ...over };
      const readBody = async () => (read.push(address), new TextEncoder().encode(text));
      const received = await receiveStoreWebhook(ports, { address, headers, readBody });
      return received.ok ? 'ok' : received.failure.code;
    };
    expect(await tryTo({ address: 'another' })).toBe('route.not_found');
    expect(read).toEqual([]);
    expect(await tryTo({ headers: { secret: 'guessed' } })).toBe('route.not_found');
    const tooLarge = { ...request, readBody: async () => null };
    expect(await receiveStoreWebhook(ports, tooLarge)).toMatchObject({
      failure: { code: 'request.too_large' },
    });
    vault.available = false;
    expect(await tryTo({})).toBe('vault.unavailable');
    vault.available = true;
    expect(await tryTo({ text: '' })).toBe('ok');
    await watch(false);
    expect(await tryTo({})).toBe('route.not_found');
    expect([queued(), changes()]).toEqual([[], []]);
  });

  test('of an order that the store does not have, or does not return now, invents nothing; a failure is retried', async () => {
    const job = { name: 'read_order', ...keyOf(connection), externalId: 'so_1' } as const;
    expect(await readNotifiedOrder(ports, job, never)).toMatchObject({ ok: true });
    put('so_1');
    store.switches.getThrows = true;
    expect(await readNotifiedOrder(ports, job, never)).toMatchObject({ ok: true });
    store.switches.getThrows = false;
    store.switches.getFails = true;
    expect(await readNotifiedOrder(ports, job, never)).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
    s.closed.add(connection.id);
    expect(await readNotifiedOrder(ports, job, never)).toMatchObject({ ok: true });
    s.closed.clear();
    store.switches.getFails = false;
    await watch(false);
    expect(await readNotifiedOrder(ports, job, never)).toMatchObject({ ok: true });
    expect(changes()).toEqual([]);
  });

  test('that reports a change makes the next polls look for others that were committed late', async () => {
    s.clock.advance(QUIET_MS + POLL_MS);
    await poll();
    const late = remoteOrder({ externalId: 'late', createdAt: s.clock.now(), updatedAt: s.clock.now() });
    s.clock.advance(1000);
    put('so_1');
    const [request] = webhooks.send('so_1');
    if (request) await receive(request);
    for (const job of queued()) await readNotifiedOrder(ports, job, never);
    s.clock.advance(POLL_MS);
    await poll();
    store.put(late);
    s.clock.advance(POLL_MS);
    await poll();
    expect(changes().map(([, id]) => id)).toEqual(['so_1', 'late']);
  });

  test.each(seeds)(
    'sent twice, out of order, forged, or not at all: every change is reported, none is invented, and the order of one order’s changes is that of its times: seed %i',
    async (seed) => {
      const { next: random } = seededRandom(seed);
      const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
      const versions = new Map<string, RemoteOrder[]>();
      let requests: ReturnType<MemoryWebhooksOfStore['send']>[number][] = [];
      let read = 0;
      for (let step = 0; step < 120; step++) {
        const externalId = `so_${Math.floor(random() * 10)}`;
        const known = versions.get(externalId) ?? [];
        const order = put(externalId, {
          createdAt: known[0]?.createdAt ?? s.clock.now(),
          note: `version ${known.length}`,
        });
        versions.set(externalId, [...known, order]);
        if (random() < 0.8) requests.push(...webhooks.send(externalId));
        const repeated = pick(requests);
        if (repeated && random() < 0.4) requests.push(repeated);
        if (repeated && random() < 0.4)
          expect(await receive({ ...repeated, headers: { secret: 'forged' }, text: 'so_forged 1' })).toBe(
            'route.not_found',
          );
        requests = requests.sort(() => random() - 0.5);
        for (const request of requests.splice(0, Math.floor(random() * 4)))
          expect(await receive(request)).toBe('ok');
        for (const job of queued().slice(read)) await readNotifiedOrder(ports, job, never);
        read = queued().length;
        s.clock.advance(1000 + Math.floor(random() * 20_000));
        // The store keeps only the newest version: what changes again before it is read is reported as it is then.
        if (random() < 0.2) await poll();
      }
      for (const request of requests) await receive(request);
      for (const job of queued().slice(read)) await readNotifiedOrder(ports, job, never);
      s.clock.advance(POLL_MS);
      await poll();
      const reported = new Map<string, string[]>();
      for (const [, id, at] of changes())
        reported.set(String(id), [...(reported.get(String(id)) ?? []), String(at)]);
      expect([...reported.keys()].sort()).toEqual([...versions.keys()].sort());
      for (const [id, times] of reported) {
        const real = (versions.get(id) ?? []).map(({ updatedAt }) => updatedAt.toISOString());
        expect(times.filter((at) => !real.includes(at))).toEqual([]);
        expect(new Set(times).size).toBe(times.length);
        expect(times).toEqual([...times].sort());
        expect(times.at(-1)).toBe(real.at(-1));
      }
    },
  );
});
