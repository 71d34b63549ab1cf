import { afterAll, expect, test } from '@jest/globals';
import type { Call } from '@switchboard/domain';
import { formatOrderId } from '@switchboard/domain/orders';
import type { Jobs } from '@switchboard/domain/ports';
import { refundOrder, sendRefund } from '@switchboard/domain/refunds';
import {
  advanceableClock,
  countedIds,
  memoryStore,
  remoteOrder,
  seededRandom,
  createStoreFixture,
  type RefundFault,
} from '@switchboard/domain/testing';
import { openDatabase, prismaRepositories, prismaTransactions, type Database } from './index.js';
import { testDatabase } from './testing.js';

const clock = advanceableClock();
const noJobs = (): Jobs => ({ enqueue: () => Promise.resolve() });

const opened: Database[] = [];
afterAll(() => Promise.all(opened.map((database) => database.close())));

/** A shop whose refunds are in PostgreSQL, accessed over two pools as by two processes. */
async function setting(name: string) {
  const s = createStoreFixture(clock);
  const store = memoryStore({ clock, acceptsOverRefunds: true, latencyMs: 5, orders: [remoteOrder()] });
  const connection = s.connect(store);
  const url = await testDatabase(name);
  const ids = countedIds(clock);
  const processes = [1, 2].map(() => {
    const database = openDatabase(url, { max: 8 });
    opened.push(database);
    const { refunds } = prismaRepositories(database.prisma);
    const transactions = prismaTransactions(database.prisma, { ids, clock, jobsIn: noJobs });
    return { database, ports: { ...s.ports, ids, refunds, transactions } };
  });
  const [one, two] = processes as [(typeof processes)[number], (typeof processes)[number]];
  const seeded = await one.ports.transactions.run(async (tx) => {
    await tx.workspaces.insert(s.workspace);
    await tx.profiles.insert(s.profile);
    await tx.connections.insert(connection);
    return { ok: true, value: undefined };
  });
  if (!seeded.ok) throw new Error(seeded.failure.code);
  const orderId = formatOrderId({ connectionId: connection.id, externalId: 'so_1' });
  const ledger = () => one.database.prisma.refundLedger.findMany();
  return { s, store, one, two, orderId, ledger, of: (n: number) => (n % 2 ? one : two).ports };
}

test('twenty refunds of one order through two processes, with faults before and after the effect: never above captured, never twice', async () => {
  const t = await setting('race');
  const random = seededRandom(20_261_121);
  const key = t.s.key();
  const faults: readonly RefundFault[] = [
    'unreachable',
    'lost-before',
    'lost-after',
    'garbage-after',
    'refuse',
  ];
  for (let round = 0; round < 4; round++) {
    t.store.faults.length = 0;
    if (round < 3) t.store.faults.push(random.pick(faults), random.pick(faults), random.pick(faults));
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const call: Call = t.s.call(key, n % 2 ? t.s.withKey(key, `key-${n % 5}`) : {});
        await clock.sleep(random.int(0, 200));
        return refundOrder(t.of(n), call, {
          orderId: t.orderId,
          amount: n % 2 ? '7.00' : '3.00',
          allowDuplicate: true,
        });
      }),
    );
    clock.advance(60_000);
    for (const { id, workspaceId } of await t.one.ports.refunds.listUnsettled(50))
      await sendRefund(t.one.ports, workspaceId, id);
  }
  const references = t.store.refunds.map(({ reference }) => reference);
  expect(new Set(references).size).toBe(references.length);
  expect(t.store.refundedMinor('so_1')).toBeLessThanOrEqual(4990);
  expect(t.store.refundedMinor('so_1')).toBeGreaterThan(0);
  const [entry] = await t.ledger();
  expect(Number(entry?.refundedMinor) + Number(entry?.reservedMinor)).toBeGreaterThanOrEqual(
    t.store.refundedMinor('so_1'),
  );
  expect(Number(entry?.capturedMinor)).toBe(4990);
}, 60_000);

test('one idempotency key used twenty times concurrently through two processes makes one refund', async () => {
  const t = await setting('same_key');
  const key = t.s.key();
  const call = t.s.call(key, t.s.withKey(key, 'once'));
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, n) => refundOrder(t.of(n), call, { orderId: t.orderId, amount: '1.00' })),
  );
  expect(new Set(results.map((result) => (result.ok ? result.value.id : result.failure.code))).size).toBe(1);
  expect(results[0]).toMatchObject({ ok: true, value: { status: 'succeeded' } });
  expect(t.store.refunds).toHaveLength(1);
}, 60_000);

test('a key’s ceiling holds against twenty refunds of twenty orders through two processes', async () => {
  const t = await setting('ceiling');
  for (let n = 0; n < 20; n++) t.store.put(remoteOrder({ externalId: `other_${n}` }));
  const key = t.s.key({ refundCeilings: [{ currency: 'EUR', perRefundMinor: 1000, perDayMinor: 1500 }] });
  const connectionId = t.s.connections[0]?.id;
  if (!connectionId) throw new Error('no connection');
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      refundOrder(t.of(n), t.s.call(key), {
        orderId: formatOrderId({ connectionId, externalId: `other_${n}` }),
        amount: '4.00',
      }),
    ),
  );
  expect(t.store.refunds).toHaveLength(3);
}, 60_000);
