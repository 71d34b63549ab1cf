import { describe, expect, test } from '@jest/globals';
import type { RefundId, WorkspaceId } from '../../src/ids.js';
import type { LedgerEntry } from '../../src/ports/index.js';
import type { Refund } from '../../src/refunds/refund.js';
import { ledgerKeyOf } from '../../src/refunds/refund-record.js';
import { readAll } from './records-contract.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

export function refundsContract(make: CreateStorage): void {
  describe('Refunds and Ledger', () => {
    const world = useStorageWorld(make);

    async function stored(over: Partial<Refund> = {}, ...ancestors: readonly string[]): Promise<Refund> {
      const refund = world.build.refund(world.ours.connection, over);
      await world.refunds.insert(refund);
      await world.ledger.charge(refund, [refund.keyLineage ?? '', ...ancestors]);
      return refund;
    }
    const read = ({ workspaceId, id }: Refund) => world.refunds.find(workspaceId, id);
    const claim = (id: RefundId, leaseSeconds = 30) => world.refunds.claim(id, leaseSeconds);
    const markSent = (id: RefundId, epoch: number) => world.refunds.markSent(id, epoch);
    const isUnsettled = async ({ id }: Refund) =>
      (await world.refunds.listUnsettled(1000)).some((due) => due.id === id);

    test('one of twenty claims a refund', async () => {
      const refund = await stored();
      const claims = await Promise.all(Array.from({ length: 20 }, () => claim(refund.id)));
      expect(claims.filter((claimed) => claimed !== null)).toEqual([{ ...refund, epoch: 1 }]);
      expect(await isUnsettled(refund)).toBe(false);
    });

    test('finding 22: accounts with one id at two servers have separate ledgers, refunds in flight and duplicates', async () => {
      const one = await stored({ accountServer: 'one.example' });
      const { orderExternalId } = one;
      const other = await stored({ accountServer: 'two.example', orderExternalId });
      const [ofOne, ofOther] = [ledgerKeyOf(one), ledgerKeyOf(other)];
      const entry = { currency: 'EUR', capturedMinor: 5000, refundedMinor: 0, reservedMinor: 1200 };
      await world.change(async (tx) => {
        await tx.ledger.lock(ofOne, 'EUR');
        await tx.ledger.save(ofOne, { ...entry, inFlight: one.id });
      });
      expect(await world.ledger.lock(ofOther, 'EUR')).toMatchObject({ inFlight: null });
      expect(await world.refunds.findRecentDuplicate(ofOther, 1200, new Date(0))).toBe(other.id);
      const accounts = await world.refunds.listAccounts(one.workspaceId, [ofOther, ofOne]);
      const inFlightAt = accounts.map(({ order, entry: { inFlight }, recorded }) => [
        order.accountServer,
        inFlight,
        recorded.map(({ id }) => id),
      ]);
      expect(inFlightAt.sort()).toEqual([
        ['one.example', one.id, [one.id]],
        ['two.example', null, [other.id]],
      ]);
    });

    test('an expired lease is taken over, and then the first holder neither sends nor writes', async () => {
      const refund = await stored();
      await claim(refund.id, 0.02);
      await world.clock.sleep(40);
      expect(await markSent(refund.id, 1)).toBe('lost');
      expect(await isUnsettled(refund)).toBe(true);
      expect(await claim(refund.id)).toMatchObject({ epoch: 2, sentAt: null });
      expect(await markSent(refund.id, 1)).toBe('lost');
      const settled = { status: 'succeeded', externalId: 'remote-1', settledAt: world.clock.now() } as const;
      expect(await world.refunds.settle(refund.id, 1, { status: 'failed' })).toBe(false);
      expect(await read(refund)).toMatchObject({ status: 'pending' });
      expect(await world.refunds.settle(refund.id, 2, settled)).toBe(true);
      expect(await read(refund)).toMatchObject(settled);
      expect(await claim(refund.id)).toBeNull();
    });

    test('the next holder sees that it may have been sent', async () => {
      const refund = await stored();
      await claim(refund.id, 1);
      expect(await markSent(refund.id, 1)).toBe('sent');
      expect(await claim(refund.id)).toBeNull();
      await world.clock.sleep(1100);
      const taken = await claim(refund.id);
      expect(taken?.sentAt).toBeInstanceOf(Date);
    });

    test('an extended lease is held longer, until it is settled or another process has taken over', async () => {
      const extend = ({ id }: Refund, epoch: number) => world.refunds.extendLease(id, epoch, 30);
      const [refund, other, unclaimed] = [await stored(), await stored(), await stored()];
      await claim(refund.id, 1);
      expect(await extend(refund, 1)).toBe(true);
      await claim(other.id, 1);
      await world.clock.sleep(1100);
      expect([await claim(refund.id), await isUnsettled(refund)]).toEqual([null, false]);
      expect(await claim(other.id)).toMatchObject({ epoch: 2 });
      expect(await extend(other, 1)).toBe(false);
      expect(await extend(unclaimed, 0)).toBe(false);
      await world.refunds.settle(refund.id, 1, { nextAttemptAt: null });
      expect(await extend(refund, 1)).toBe(false);
      expect(await isUnsettled(refund)).toBe(true);
    });

    test('an unsettled refund is due at its time, and claimed earlier on request', async () => {
      const refund = await stored({ status: 'unknown', nextAttemptAt: world.clock.after(3_600_000) });
      expect(await isUnsettled(refund)).toBe(false);
      expect(await claim(refund.id)).toMatchObject({ epoch: 1 });
      await world.refunds.settle(refund.id, 1, { nextAttemptAt: world.clock.after(-10) });
      expect(await isUnsettled(refund)).toBe(true);
    });

    test('an order has one refund in flight', async () => {
      const refund = await stored({ status: 'needs_review' });
      const { orderExternalId } = refund;
      await expect(stored({ orderExternalId })).rejects.toThrow();
      await stored({ orderExternalId, status: 'failed' });
      await world.refunds.settle(refund.id, 0, { status: 'failed' });
      await stored({ orderExternalId });
    });

    test('an idempotency key creates one refund of a lineage, until it is released', async () => {
      const lineage = { keyLineage: 'key_once' };
      const refunds = [1, 2, 3].map(() => world.build.refund(world.ours.connection, lineage));
      const [first, second, third] = refunds as [Refund, Refund, Refund];
      const idempotency = { key: 'order-1', fingerprint: 'print' };
      await world.refunds.insert(first, idempotency);
      await expect(world.refunds.insert(second, idempotency)).rejects.toThrow();
      const find = () => world.refunds.findByIdempotencyKey(first.workspaceId, 'key_once', 'order-1');
      expect(await find()).toEqual({ refund: first, fingerprint: 'print' });
      await world.refunds.releaseKeys(first.workspaceId, first.id);
      expect(await find()).toBeNull();
      await world.refunds.insert(third, idempotency);
      expect(await find()).toEqual({ refund: third, fingerprint: 'print' });
    });

    test('a quote is used by one refund, and is free again when that refund releases it', async () => {
      const quote = world.build.quote(world.ours.connection);
      const [first, second] = [await stored(), await stored()];
      await world.refunds.insertQuote(quote);
      expect(await world.refunds.findQuote(quote.workspaceId, quote.id)).toEqual(quote);
      const use = (by: Refund) => world.refunds.useQuote(quote.id, by.id);
      expect(await use(first)).toBe(true);
      expect(await use(second)).toBe(false);
      expect(await use(first)).toBe(true);
      await world.refunds.releaseKeys(quote.workspaceId, first.id);
      expect(await use(second)).toBe(true);
    });

    test('charges and duplicates count completed and possible refunds, and no failed ones', async () => {
      const lineage = { keyLineage: 'key_sums' };
      const since = world.clock.after(-60_000);
      const refund = await stored({ ...lineage, status: 'succeeded' });
      await stored({ ...lineage, status: 'unknown', amount: { amountMinor: 300, currency: 'EUR' } });
      await stored({ ...lineage, status: 'failed' });
      await stored({ ...lineage, amount: { amountMinor: 77, currency: 'JPY' } });
      await stored({ ...lineage, status: 'succeeded', createdAt: world.clock.after(-120_000) });
      const sums = await world.refunds.sumCharges(refund.workspaceId, ['key_sums', 'key_other'], since);
      expect([...sums].sort((a, b) => (a.currency < b.currency ? -1 : 1))).toEqual([
        { lineage: 'key_sums', currency: 'EUR', amountMinor: 1500 },
        { lineage: 'key_sums', currency: 'JPY', amountMinor: 77 },
      ]);
      const order = ledgerKeyOf(refund);
      expect(await world.refunds.findRecentDuplicate(order, 1200, since)).toBe(refund.id);
      expect(await world.refunds.findRecentDuplicate(order, 1199, since)).toBeNull();
      expect(await world.refunds.findRecentDuplicate(order, 1200, world.clock.after(60_000))).toBeNull();
      await world.refunds.settle(refund.id, 0, { status: 'failed' });
      expect(await world.refunds.findRecentDuplicate(order, 1200, since)).toBeNull();
    });

    test('a refund counts against its own lineage and every ancestor, in their order', async () => {
      const refund = await stored({ keyLineage: 'key_leaf' }, 'key_middle', 'key_root');
      await stored({ keyLineage: 'key_middle' }, 'key_root');
      const { workspaceId, id } = refund;
      expect(await world.refunds.listChargedLineages(workspaceId, id)).toEqual([
        'key_leaf',
        'key_middle',
        'key_root',
      ]);
      const sums = await world.refunds.sumCharges(
        workspaceId,
        ['key_root', 'key_middle', 'key_leaf'],
        new Date(0),
      );
      expect(new Map(sums.map(({ lineage, amountMinor }) => [lineage, amountMinor]))).toEqual(
        new Map([
          ['key_root', 2400],
          ['key_middle', 2400],
          ['key_leaf', 1200],
        ]),
      );
    });

    test('a failed refund no longer counts, except against the lineages whose charge is retained', async () => {
      const refund = await stored({ keyLineage: 'key_made' }, 'key_maker', 'key_first');
      const { workspaceId, id } = refund;
      await world.refunds.settle(id, 0, { status: 'failed' });
      await world.ledger.retainCharges(workspaceId, id, ['key_maker']);
      const sums = await world.refunds.sumCharges(
        workspaceId,
        ['key_made', 'key_maker', 'key_first'],
        new Date(0),
      );
      expect(sums).toEqual([{ lineage: 'key_maker', currency: 'EUR', amountMinor: 1200 }]);
    });

    test('a list is filtered and paginated newest first', async () => {
      const connection = world.build.connection(world.ours.profile, {
        platform: 'sandbox_store',
        kind: 'commerce',
      });
      const refunds = Array.from({ length: 5 }, (_, at) =>
        world.build.refund(connection, {
          status: at === 2 ? 'failed' : 'succeeded',
          createdAt: world.clock.after(-1000 + at),
        }),
      );
      await world.insert(connection, ...refunds);
      const { workspaceId, profileId } = connection;
      const newest = [...refunds].reverse();
      const list = (over: object) =>
        readAll(2, (page) =>
          world.refunds.list(workspaceId, { reach: null, connectionId: connection.id, ...over }, page),
        );
      expect(await list({})).toEqual(newest);
      expect(await list({ statuses: ['failed'] })).toEqual([refunds[2]]);
      expect(await list({ reach: [profileId], profileId })).toEqual(newest);
      expect(await list({ reach: [] })).toEqual([]);
      expect(await list({ orderExternalId: refunds[1]?.orderExternalId })).toEqual([refunds[1]]);
      expect(await list({ createdAfter: refunds[3]?.createdAt })).toEqual(newest.slice(0, 2));
      expect(await list({ createdBefore: refunds[3]?.createdAt })).toEqual(newest.slice(2));
    });

    test('a ledger starts empty, keeps what is saved, and belongs to the order regardless of the connection', async () => {
      const refund = await stored();
      const order = ledgerKeyOf(refund);
      const empty = { currency: 'EUR', capturedMinor: 0, refundedMinor: 0, reservedMinor: 0, inFlight: null };
      expect(await world.ledger.lock(order, 'EUR')).toEqual(empty);
      const entry: LedgerEntry = { ...empty, capturedMinor: 5000, reservedMinor: 1200, inFlight: refund.id };
      await world.ledger.save(order, entry);
      expect(await world.ledger.lock(order, 'USD')).toEqual(entry);
    });

    test('accounts of orders include refunds in flight and those that a person recorded as succeeded (finding 30)', async () => {
      const change = { settledAt: null, nextAttemptAt: null };
      const inFlight = await stored();
      const person = await stored();
      const store = await stored();
      const none = await stored();
      await world.change(async (tx) => {
        for (const refund of [inFlight, person, store]) {
          const entry = await tx.ledger.lock(ledgerKeyOf(refund), 'EUR');
          await tx.ledger.save(ledgerKeyOf(refund), { ...entry, capturedMinor: 5000, refundedMinor: 100 });
        }
        await tx.refunds.settle(person.id, person.epoch, {
          ...change,
          status: 'succeeded',
          resolvedBy: 'key_1',
        });
        await tx.refunds.settle(store.id, store.epoch, {
          ...change,
          status: 'succeeded',
          externalId: 're_1',
        });
      });
      const keys = [inFlight, person, store, none].map(ledgerKeyOf);
      const accounts = await world.refunds.listAccounts(inFlight.workspaceId, keys);
      const recordedOf = (refund: Refund) =>
        accounts
          .find(({ order }) => order.orderExternalId === refund.orderExternalId)
          ?.recorded.map(({ id }) => id);
      expect(accounts.map(({ entry }) => entry.refundedMinor)).toEqual([100, 100, 100]);
      expect([inFlight, person, store, none].map(recordedOf)).toEqual([
        [inFlight.id],
        [person.id],
        [],
        undefined,
      ]);
      expect(await world.refunds.listAccounts('wsp_other' as WorkspaceId, keys)).toEqual([]);
      expect(await world.refunds.listAccounts(inFlight.workspaceId, [])).toEqual([]);
    });

    test('a ledger never exceeds the captured amount, or falls below zero', async () => {
      const order = ledgerKeyOf(await stored());
      const save = (reservedMinor: number, refundedMinor: number) =>
        world.change(async (tx) => {
          const entry = await tx.ledger.lock(order, 'EUR');
          await tx.ledger.save(order, { ...entry, capturedMinor: 5000, reservedMinor, refundedMinor });
        });
      await save(2000, 3000);
      await expect(save(2001, 3000)).rejects.toThrow();
      await expect(save(-1, 0)).rejects.toThrow();
      await expect(save(0, -1)).rejects.toThrow();
      expect(await world.ledger.lock(order, 'EUR')).toMatchObject({
        reservedMinor: 2000,
        refundedMinor: 3000,
      });
    });

    test('twenty reservations on one order never exceed the captured amount', async () => {
      const order = ledgerKeyOf(await stored());
      const reserve = () =>
        world.change(async (tx) => {
          const entry = await tx.ledger.lock(order, 'EUR');
          if (entry.reservedMinor + 300 > 1000) return false;
          await tx.ledger.save(order, {
            ...entry,
            capturedMinor: 1000,
            reservedMinor: entry.reservedMinor + 300,
          });
          return true;
        });
      const reserved = await Promise.all(Array.from({ length: 20 }, reserve));
      expect(reserved.filter(Boolean)).toHaveLength(3);
      expect(await world.ledger.lock(order, 'EUR')).toMatchObject({ reservedMinor: 900 });
    });

    test('refunds that count against one lineage are serialized, regardless of the order of lineages', async () => {
      const spend = (_: unknown, at: number) =>
        world.change(async (tx) => {
          const lineages = at % 2 ? ['key_ceiling', 'key_child'] : ['key_child', 'key_ceiling'];
          await tx.ledger.lockLineages(lineages);
          const { workspaceId } = world.ours.connection;
          const [spent] = await tx.refunds.sumCharges(workspaceId, ['key_ceiling'], new Date(0));
          if ((spent?.amountMinor ?? 0) + 1200 > 3000) return false;
          const refund = world.build.refund(world.ours.connection, { keyLineage: lineages[0] ?? null });
          await tx.refunds.insert(refund);
          await tx.ledger.charge(refund, lineages);
          return true;
        });
      const spent = await Promise.all(Array.from({ length: 12 }, spend));
      expect(spent.filter(Boolean)).toHaveLength(2);
    });
  });
}
