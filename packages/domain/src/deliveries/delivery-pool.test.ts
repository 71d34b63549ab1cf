import { describe, expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { Connection } from '../connections/connection.js';
import { refuse } from '../failure.js';
import type { Ports, Publishing, PublishItem, Transactions } from '../ports/index.js';
import { ok } from '../result.js';
import { deliveryPool } from './delivery-pool.js';
import type { Delivery } from './delivery.js';

type Publish = (item: PublishItem, account: string) => ReturnType<Publishing['publish']>;

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < 400; look += 1) {
    if (await what()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the condition was not met within 4 s');
}
const forever = () => new Promise<never>(() => undefined);
const part = ({ reference }: PublishItem) =>
  ok({ externalId: `remote ${reference}`, url: null, receipt: {} });

/** A pool with in-memory storage, and accounts with the requested numbers of due deliveries. */
async function scene(counts: readonly number[], over: Partial<Delivery> = {}) {
  const social = memorySocial();
  const it = await createTestEnvironment([social]);
  const published: string[] = [];
  const doors: { publish: Publish } = { publish: async (item) => part(item) };
  Object.assign(social.platform.publishing ?? {}, {
    publish: async (...[session, item]: Parameters<Publishing['publish']>) => {
      const outcome = await doors.publish(item, session.account.id);
      if (outcome.ok) published.push(item.reference);
      return outcome;
    },
  });
  const accounts: Connection[] = [];
  for (const count of counts) {
    const connection = await it.connect();
    accounts.push(connection);
    for (let index = 0; index < count; index += 1) {
      await it.repositories.posts.insert(it.build.post(it.profile, [connection], {}, over));
    }
  }
  const errors: unknown[] = [];
  const stop = new AbortController();
  const open = (ports: Ports = it.ports) =>
    deliveryPool(ports, stop.signal, { onError: (error) => errors.push(error) });
  const of = (index: number) => accounts[index]?.account.id ?? '';
  const statuses = async () => {
    const page = { limit: 10_000 };
    const { items } = await it.repositories.posts.list(
      it.workspace.id,
      { reach: null, sort: '-created_at' },
      page,
    );
    return items.flatMap(({ deliveries }) => deliveries);
  };
  return { ...it, social, doors, published, accounts, errors, stop, open, of, statuses };
}

test('everything that is due is published once, also beyond the capacity of the pool', async () => {
  const it = await scene([120, 70, 10]);
  const pool = it.open();
  await pool.fill();
  await until(() => it.published.length >= 200);
  await pool.drain();
  expect(new Set(it.published).size).toBe(200);
  expect(
    (await it.statuses()).filter(({ status, epoch }) => status === 'published' && epoch === 1),
  ).toHaveLength(200);
  expect(it.errors).toEqual([]);
});

test('an unresponsive account does not delay the others, regardless of its number of due deliveries', async () => {
  const it = await scene([100, 30]);
  let [asked, most] = [0, 0];
  it.doors.publish = async (item, account) => {
    if (account === it.of(1)) return part(item);
    most = Math.max(most, (asked += 1));
    return forever();
  };
  await it.open().fill();
  await until(() => it.published.length === 30);
  expect(most).toBeLessThan(20);
});

describe('a faulty delivery', () => {
  const poisons: [string, Publish][] = [
    ['whose adapter throws', () => Promise.reject(new Error('x'.repeat(10_000_000)))],
    ['that never ends', forever],
    [
      'with an error message of ten million words',
      async () => refuse('platform.refused', 'x'.repeat(10_000_000)),
    ],
  ];
  test.each(poisons)('%s does not delay the others, of its account or another', async (_, poison) => {
    const it = await scene([20, 20]);
    const [first] = await it.statuses();
    it.doors.publish = (item, account) =>
      item.reference.startsWith(String(first?.id)) ? poison(item, account) : Promise.resolve(part(item));
    await it.open().fill();
    await until(() => it.published.length === 39);
    const [same] = await it.statuses();
    expect(JSON.stringify(same).length).toBeLessThan(5000);
  });

  test('that cannot be written does not affect the others', async () => {
    const it = await scene([20]);
    const [poisonous] = await it.statuses();
    const transactions: Transactions = {
      run: (work) =>
        it.transactions.run((tx) => {
          const settle: typeof tx.deliveries.settle = async (settlements) => {
            if (settlements.some(({ id }) => id === poisonous?.id)) throw new Error('it cannot be written');
            return tx.deliveries.settle(settlements);
          };
          return work({ ...tx, deliveries: { ...tx.deliveries, settle } });
        }),
    };
    const pool = it.open({ ...it.ports, transactions });
    await pool.fill();
    await pool.drain();
    const settled = (await it.statuses()).filter(({ status }) => status === 'published');
    expect(settled).toHaveLength(19);
    expect(it.errors).toEqual([new Error('it cannot be written')]);
  });
});

test('deliveries that were being sent when their workers crashed are read back, and none is sent again', async () => {
  const it = await scene([100], { status: 'sending', epoch: 1, attempts: 1 });
  const pool = it.open();
  await pool.fill();
  await until(async () => (await it.statuses()).every(({ status }) => status === 'unknown'));
  await pool.drain();
  expect(it.published).toEqual([]);
});

describe('a delivery that becomes due before the next sweep', () => {
  const WITHIN_MS = 2000;
  /** A pool whose sleeps end when the test ends them, over one account. */
  async function sleepingScene() {
    const it = await scene([0]);
    const sleeps: { readonly ms: number; readonly signal: AbortSignal; readonly end: () => void }[] = [];
    const sleep = (ms: number, signal?: AbortSignal) =>
      new Promise<void>((end) => {
        if (!signal) throw new Error('a sleep that cannot be aborted');
        signal.addEventListener('abort', () => end());
        sleeps.push({ ms, signal, end });
      });
    const pool = it.open({ ...it.ports, clock: { ...it.clock, sleep } });
    const schedule = async (inMs: number) => {
      const post = it.build.post(it.profile, it.accounts, { scheduledAt: it.clock.after(inMs) });
      await it.repositories.posts.insert(post);
    };
    return { ...it, pool, sleeps, schedule };
  }

  test('is published when it is due, and not earlier', async () => {
    const it = await sleepingScene();
    await it.schedule(700);
    await it.schedule(1500);
    await it.pool.sweep(WITHIN_MS);
    expect(it.sleeps[0]?.ms).toBeGreaterThan(600);
    expect(it.sleeps[0]?.ms).toBeLessThanOrEqual(700);
    it.clock.advance(500);
    it.sleeps[0]?.end();
    await until(() => it.sleeps.length === 2);
    expect([it.published.length, Number(it.sleeps[1]?.ms) <= 200]).toEqual([0, true]);
    it.clock.advance(200);
    it.sleeps[1]?.end();
    await until(() => it.published.length === 1);
    expect(it.sleeps).toHaveLength(3);
    it.clock.advance(800);
    it.sleeps[2]?.end();
    await until(() => it.published.length === 2);
    await it.pool.drain();
    expect(it.errors).toEqual([]);
  });

  test('does not wait for due deliveries of an account at its limit', async () => {
    const it = await sleepingScene();
    it.doors.publish = forever;
    for (let index = 0; index < 20; index += 1) await it.schedule(-10);
    await it.pool.fill();
    const other = await it.connect();
    it.doors.publish = async (item) => part(item);
    const scheduledAt = it.clock.after(900);
    await it.repositories.posts.insert(it.build.post(it.profile, [other], { scheduledAt }));
    await it.pool.sweep(WITHIN_MS);
    it.clock.advance(900);
    it.sleeps[0]?.end();
    await until(() => it.published.length === 1);
  });

  test('replaces the wake-up of an earlier sweep, and wakes nothing in a draining pool', async () => {
    const it = await sleepingScene();
    await it.schedule(700);
    await it.pool.sweep(WITHIN_MS);
    await it.pool.sweep(WITHIN_MS);
    expect(it.sleeps.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    await it.pool.drain();
    expect(it.sleeps.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    it.clock.advance(1000);
    await it.pool.sweep(WITHIN_MS);
    expect([it.sleeps.length, it.published.length]).toEqual([2, 0]);
  });

  test('is not waited for beyond the next sweep', async () => {
    const it = await sleepingScene();
    await it.schedule(WITHIN_MS + 500);
    await it.pool.sweep(WITHIN_MS);
    expect(it.sleeps).toEqual([]);
  });
});

test('a full pool claims more when a delivery ends, also after others have become slow', async () => {
  const it = await scene([16, 16, 16, 16, 5]);
  const answers: (() => void)[] = [];
  it.doors.publish = async (item, account) => {
    if (account !== it.of(4)) await new Promise<void>((resolve) => answers.push(resolve));
    return part(item);
  };
  const pool = it.open();
  await pool.fill();
  await until(() => answers.length === 64);
  it.clock.advance(6000);
  answers[0]?.();
  await until(() => it.published.length === 6);
});

test('a draining pool claims nothing more and waits for its running deliveries', async () => {
  const it = await scene([100]);
  const answers: (() => void)[] = [];
  it.doors.publish = async (item) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return part(item);
  };
  const pool = it.open();
  await pool.fill();
  await until(() => answers.length > 0);
  let drained = false;
  const draining = pool.drain().then(() => (drained = true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(drained).toBe(false);
  const begun = answers.length;
  while (!drained) {
    answers.splice(0).forEach((answer) => answer());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await draining;
  expect(it.published.length).toBeGreaterThanOrEqual(begun);
  expect(it.published.length).toBeLessThan(100);
  expect((await it.statuses()).filter(({ status }) => status === 'sending')).toEqual([]);
});

test('stopping aborts the running deliveries', async () => {
  const it = await scene([1]);
  it.doors.publish = forever;
  const pool = it.open();
  await pool.fill();
  it.stop.abort();
  await pool.drain();
  expect((await it.statuses())[0]).toMatchObject({ status: 'unknown' });
});
