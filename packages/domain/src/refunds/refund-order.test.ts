import { describe, expect, test } from '@jest/globals';
import { memoryStore, type Fault, type MemoryStoreOptions } from '../../testing/stores/memory-store.js';
import { payment, remoteOrder } from '../../testing/stores/order-builder.js';
import { seeded } from '../../testing/stores/seeded.js';
import { shop } from '../../testing/stores/shop.js';
import type { Policy } from '../access/policy.js';
import type { Call } from '../call.js';
import { ok } from '../result.js';
import { LEASE_SECONDS } from '../while-held.js';
import { formatOrderId } from '../orders/order-id.js';
import { quoteRefund, type QuoteRefundCommand } from './quote-refund.js';
import { recheckRefund } from './recheck-refund.js';
import { refundOrder, type RefundOrderCommand } from './refund-order.js';
import { resolveRefund } from './resolve-refund.js';
import { sendRefund } from './send-refund.js';
import type { Refund } from './refund.js';

/** A shop with one store, in it one order of 49.90 that is paid. */
function setting(options: Partial<MemoryStoreOptions> = {}, policy: Partial<Policy> = {}) {
  const s = shop();
  const store = memoryStore({ clock: s.clock, orders: [remoteOrder()], ...options });
  const connection = s.connect(store);
  const key = s.key(policy);
  const call = s.call(key);
  const orderId = formatOrderId({ connectionId: connection.id, externalId: 'so_1' });
  const refund = async (command: RefundOrderCommand = {}, as: Call = call) => {
    const result = await refundOrder(s.ports, as, { orderId, ...command });
    return result.ok ? result.value : { ...result.failure, failed: true as const };
  };
  const quote = async (command: Partial<QuoteRefundCommand> = {}, as: Call = call) => {
    const result = await quoteRefund(s.ports, as, { orderId, ...command });
    if (!result.ok) throw new Error(result.failure.code);
    return result.value;
  };
  const made = async (command: RefundOrderCommand = {}, as: Call = call): Promise<Refund> => {
    const result = await refund(command, as);
    if ('failed' in result) throw new Error(result.code);
    return result;
  };
  const account = () =>
    s.accountOf({ ...connection, remoteAccountId: connection.account.id, orderExternalId: 'so_1' });
  /** What the worker does: everything that is due, as long as there is something. */
  const work = async () => {
    for (const { id, workspaceId } of await s.ports.refunds.listUnsettled(100))
      await sendRefund(s.ports, workspaceId, id);
  };
  const keyed = (name: string, fingerprint?: string): Call => s.call(key, s.withKey(key, name, fingerprint));
  const types = () => s.events().map(({ type }) => type);
  return { s, store, connection, key, call, orderId, refund, quote, made, account, work, keyed, types };
}

const empty = { reservedMinor: 0, refundedMinor: 0, inFlight: null };

test('an empty request refunds all that is left, once, and writes down what happened', async () => {
  const t = setting();
  const refund = await t.made();
  expect(refund).toMatchObject({
    status: 'succeeded',
    amount: { amountMinor: 4990 },
    externalId: 're_1',
    moneyMoved: true,
  });
  expect(t.store.refunds).toMatchObject([{ amount: { amountMinor: 4990 }, reference: refund.id }]);
  expect(await t.account()).toEqual({ ...empty, refundedMinor: 4990 });
  expect(t.types()).toEqual(['refund.created', 'refund.succeeded']);
  expect(t.s.jobs().map(({ job }) => job)).toMatchObject([{ name: 'settle_refund', refundId: refund.id }]);
  expect(await t.refund()).toMatchObject({ code: 'refund.exceeds_refundable' });
});

describe('never more than was captured, never twice', () => {
  const faultsOf: readonly (Fault | null)[] = [
    null,
    null,
    'unreachable',
    'lost-before',
    'lost-after',
    'garbage-after',
    'refuse',
  ];
  for (let seed = 1; seed <= 25; seed++) {
    test(`by twenty at once with faults before and after the effect, with the seed ${seed}`, async () => {
      const random = seeded(seed * 104_729);
      const t = setting({ lax: true, latencyMs: random.int(1, 300) });
      const attempts = Array.from({ length: 20 }, (_, n) => ({
        amountMinor: random.int(100, 3000),
        as: random.next() < 0.5 ? t.keyed(`key-${random.int(1, 8)}`, 'one') : t.s.call(t.key),
        n,
      }));
      t.store.faults.push(
        ...Array.from({ length: 12 }, () => random.pick(faultsOf)).filter((fault) => fault !== null),
      );
      const wave = () =>
        Promise.all(
          attempts.map(async ({ amountMinor, as }) => {
            await t.s.clock.sleep(random.int(0, 500));
            const sameKeySameAmount = as.idempotency
              ? 1000 + Number(as.idempotency.key.slice(4))
              : amountMinor;
            return t.refund({ amount: (sameKeySameAmount / 100).toFixed(2), allowDuplicate: true }, as);
          }),
        );
      for (let round = 0; round < 3; round++) {
        if (round === 2) t.store.faults.length = 0;
        await wave();
        t.s.clock.advance(40_000);
        await t.work();
      }
      for (let round = 0; round < 5; round++) {
        t.s.clock.advance(700_000);
        await t.work();
      }
      expect(t.store.refundedMinor('so_1')).toBeLessThanOrEqual(4990);
      const references = t.store.refunds.map(({ reference }) => reference);
      expect(new Set(references).size).toBe(references.length);
      // Our books and the store's say the same in the end.
      const succeeded = (await t.s.refunds()).filter(({ status }) => status === 'succeeded');
      expect(succeeded.map(({ reference }) => reference).sort()).toEqual([...references].sort());
      expect(
        (await t.s.refunds()).filter(({ status }) => status !== 'succeeded' && status !== 'failed'),
      ).toEqual([]);
      expect(await t.account()).toEqual({ ...empty, refundedMinor: t.store.refundedMinor('so_1') });
      for (let name = 1; name <= 8; name++) {
        const found = await t.s.ports.refunds.findByIdempotencyKey(
          t.call.workspaceId,
          t.key.lineage,
          `key-${name}`,
        );
        if (found?.refund.status === 'succeeded') expect(found.refund.amount.amountMinor).toBe(1000 + name);
      }
      expect(succeeded.length).toBeGreaterThan(0);
    });
  }
});

test('twenty at once for more than half: one is made, the others are told to wait or that it is too much', async () => {
  const t = setting({ lax: true });
  const results = await Promise.all(
    Array.from({ length: 20 }, () => t.refund({ amount: '30.00', allowDuplicate: true })),
  );
  expect(results.filter((result) => !('failed' in result))).toHaveLength(1);
  expect(t.store.refundedMinor('so_1')).toBe(3000);
  for (const result of results) {
    if ('failed' in result)
      expect(['refund.in_progress', 'refund.exceeds_refundable']).toContain(result.code);
  }
  expect(results.find((result) => 'failed' in result && result.code === 'refund.in_progress')).toMatchObject({
    retryAfterSeconds: 5,
  });
});

test('a refund made in the store between our look and our sending is noticed before anything is sent', async () => {
  const t = setting({ lax: true, latencyMs: 100 });
  const refund = t.refund({ amount: '40.00' });
  await t.s.clock.sleep(150);
  t.store.refundElsewhere('so_1', 2000);
  expect(await refund).toMatchObject({
    code: 'refund.exceeds_refundable',
    details: { refundable: { amount: '29.90' } },
  });
  expect(t.store.calls.refund).toBe(0);
  expect(await t.account()).toEqual(empty);
});

test('a store that does not show our last refund yet cannot mislead us into one too many', async () => {
  const t = setting({ lax: true });
  t.store.switches.lags = true;
  await t.made({ amount: '30.00' });
  expect(await t.refund({ amount: '19.91' })).toMatchObject({
    code: 'refund.exceeds_refundable',
    details: { refundable: { amount: '19.90', currency: 'EUR' } },
  });
  expect(await t.made({ amount: '19.90' })).toMatchObject({ status: 'succeeded' });
});

test('two connections to the same store share one account of each order', async () => {
  const t = setting({ lax: true });
  const twin = t.s.connect(t.store, { account: t.connection.account });
  const other = formatOrderId({ connectionId: twin.id, externalId: 'so_1' });
  const [one, two] = await Promise.all([
    t.refund({ amount: '30.00' }),
    t.refund({ orderId: other, amount: '30.00' }),
  ]);
  expect([one, two].filter((result) => 'failed' in result)).toHaveLength(1);
  expect(t.store.refundedMinor('so_1')).toBe(3000);
});

describe('a request that is repeated', () => {
  test('with its key is answered with the refund it made, at once and later', async () => {
    const t = setting();
    const first = await t.made({ amount: '10.00' }, t.keyed('a'));
    expect(await t.made({ amount: '10.00' }, t.keyed('a'))).toEqual(first);
    t.s.clock.advance(1_000 * 3600 * 24 * 30);
    expect(await t.made({ amount: '10.00' }, t.keyed('a'))).toEqual(first);
    expect(t.store.refunds).toHaveLength(1);
  });

  test('with its key twenty times at once is one refund', async () => {
    const t = setting({ lax: true });
    const results = await Promise.all(
      Array.from({ length: 20 }, () => t.made({ amount: '1.00' }, t.keyed('a'))),
    );
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(t.store.refunds).toHaveLength(1);
  });

  test('with its key and another body is refused and does nothing', async () => {
    const t = setting();
    await t.made({ amount: '10.00' }, t.keyed('a', 'ten'));
    expect(await t.refund({ amount: '11.00' }, t.keyed('a', 'eleven'))).toMatchObject({
      code: 'idempotency.key_reused',
    });
    expect(t.store.refunds).toHaveLength(1);
  });

  test('without a key within ten minutes is suspected to be a mistake, unless it is said not to be', async () => {
    const t = setting();
    const first = await t.made({ amount: '10.00' });
    expect(await t.refund({ amount: '10.00' })).toMatchObject({
      code: 'refund.possible_duplicate',
      details: { id: first.id },
    });
    await t.made({ amount: '10.01' });
    await t.made({ amount: '10.00', allowDuplicate: true });
    await t.made({ amount: '10.00' }, t.keyed('a'));
    t.s.clock.advance(11 * 60_000);
    expect(t.store.refunds).toHaveLength(4);
    expect(await t.refund({ amount: '9.89' })).toMatchObject({ status: 'succeeded' });
  });

  test('is let through again after ten minutes', async () => {
    const t = setting();
    await t.made({ amount: '10.00' });
    t.s.clock.advance(11 * 60_000);
    expect(await t.refund({ amount: '10.00' })).toMatchObject({ status: 'succeeded' });
  });
});

describe('a fault', () => {
  test('before sending frees everything: the same key refunds as soon as the store is back', async () => {
    const t = setting();
    t.store.faults.push('unreachable');
    expect(await t.refund({ amount: '10.00' }, t.keyed('a'))).toMatchObject({
      code: 'platform.unavailable',
      effect: 'none',
    });
    expect(await t.account()).toEqual(empty);
    expect(t.types()).toEqual(['refund.created', 'refund.failed']);
    expect(await t.made({ amount: '10.00' }, t.keyed('a'))).toMatchObject({ status: 'succeeded' });
    expect(t.store.refunds).toHaveLength(1);
  });

  test('of the grant is found before anything is reserved', async () => {
    const t = setting();
    t.s.closed.add(t.connection.id);
    expect(await t.refund()).toMatchObject({ code: 'connection.needs_reauth' });
    expect(await t.s.refunds()).toEqual([]);
  });

  test('after the effect is read back in the same request', async () => {
    for (const fault of ['lost-after', 'garbage-after'] as const) {
      const t = setting();
      t.store.faults.push(fault);
      expect(await t.made({ amount: '10.00' })).toMatchObject({ status: 'succeeded', externalId: 're_1' });
      expect(t.store.refunds).toHaveLength(1);
    }
  });

  test('with an outcome that stays unknown holds up every other refund of the order until it is known', async () => {
    const t = setting();
    t.store.faults.push('lost-after');
    t.store.switches.findFails = true;
    const refund = await t.made({ amount: '10.00' }, t.keyed('a'));
    expect(refund).toMatchObject({ status: 'unknown' });
    expect(await t.account()).toEqual({ reservedMinor: 1000, refundedMinor: 0, inFlight: refund.id });
    expect(await t.refund({ amount: '10.00' }, t.keyed('b'))).toMatchObject({
      code: 'refund.in_doubt',
      details: { id: refund.id },
    });
    t.store.switches.findFails = false;
    t.s.clock.advance(31_000);
    await t.work();
    expect(await t.made({ amount: '10.00' }, t.keyed('a'))).toMatchObject({
      id: refund.id,
      status: 'succeeded',
    });
    expect(t.store.refunds).toHaveLength(1);
    expect(await t.made({ amount: '10.00' }, t.keyed('b'))).toMatchObject({ status: 'succeeded' });
  });

  test('of which its worker died is not sent again before the store has had time to show it', async () => {
    const t = setting();
    const { id, workspaceId } = await t.made({ amount: '10.00' }, { ...t.call, waitSeconds: 0 });
    await t.s.ports.transactions.run(async (tx) => {
      const claimed = await tx.refunds.claim(id, LEASE_SECONDS);
      return ok(claimed && (await tx.refunds.markSent(id, claimed.epoch)));
    });
    t.s.clock.advance((LEASE_SECONDS + 1) * 1000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'unknown' }]);
    expect(t.store.calls.refund).toBe(0);
    await sendRefund(t.s.ports, workspaceId, id);
    expect(t.store.calls.refund).toBe(0);
    t.s.clock.advance(180_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded' }]);
    expect(t.store.calls.refund).toBe(1);
  });

  test('before the effect is sent again only when the store has had time to show it, and then once', async () => {
    const t = setting();
    t.store.faults.push('lost-before');
    const refund = await t.made({ amount: '10.00' });
    expect(refund.status).toBe('unknown');
    await t.work();
    await sendRefund(t.s.ports, refund.workspaceId, refund.id);
    expect(t.store.calls.refund).toBe(1);
    t.s.clock.advance(120_000);
    await t.work();
    expect(t.store.calls.refund).toBe(2);
    expect(t.store.refunds).toHaveLength(1);
    expect(t.types()).toEqual(['refund.created', 'refund.succeeded']);
  });

  test('before the effect is sent again as soon as the store has had its time, however often it is looked up before', async () => {
    const t = setting();
    t.store.faults.push('lost-before');
    const refund = await t.made({ amount: '10.00' });
    // The job of the request, which comes when its process should have ended, and people who cannot wait.
    t.s.clock.advance((LEASE_SECONDS + 1) * 1000);
    await t.work();
    await recheckRefund(t.s.ports, t.call, { refundId: refund.id });
    expect(await t.s.refunds()).toMatchObject([{ status: 'unknown' }]);
    t.s.clock.advance(18_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded' }]);
    expect(t.store.calls.refund).toBe(2);
    expect(t.store.refunds).toHaveLength(1);
  });

  test('that is noticed too late is not made up for: it fails, and nothing is sent', async () => {
    const t = setting();
    t.store.faults.push('lost-before');
    await t.made({ amount: '10.00' });
    t.s.clock.advance(3_600_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([
      { status: 'failed', error: { code: 'platform.unavailable' } },
    ]);
    expect(t.store.calls.refund).toBe(1);
    expect(await t.account()).toEqual(empty);
  });

  test('at a store that cannot be asked is for a person, and is never sent again', async () => {
    const t = setting({ readsBack: false });
    t.store.faults.push('lost-before');
    const refund = await t.made({ amount: '10.00' });
    expect(refund.status).toBe('needs_review');
    expect(t.types()).toEqual(['refund.created', 'refund.needs_review']);
    t.s.clock.advance(3_600_000);
    await t.work();
    const rechecked = await recheckRefund(t.s.ports, t.call, { refundId: refund.id });
    expect(rechecked).toMatchObject({ ok: true, value: { status: 'needs_review' } });
    expect(t.store.calls.refund).toBe(1);
    expect(await t.account()).toMatchObject({ reservedMinor: 1000, inFlight: refund.id });
  });

  describe('of which its adapter says that only a person can tell', () => {
    const setUnclear = async () => {
      const t = setting();
      t.store.faults.push('unclear');
      const { id } = await t.made({ amount: '10.00' });
      return { ...t, id, review: { id, status: 'needs_review', error: { code: 'refund.unclear' } } };
    };
    const held = (inFlight: string) => ({ reservedMinor: 1000, refundedMinor: 0, inFlight });

    test('is for a person at once, with the store’s words, and holds its money', async () => {
      const t = await setUnclear();
      expect(await t.s.refunds()).toMatchObject([
        { ...t.review, error: { code: 'refund.unclear', platform: { name: 'Memory', message: 'an error' } } },
      ]);
      expect(await t.account()).toEqual(held(t.id));
      expect(t.types()).toEqual(['refund.created', 'refund.needs_review']);
      expect(await t.refund({ amount: '10.00', allowDuplicate: true })).toMatchObject({
        code: 'refund.in_doubt',
      });
    });

    test('stays so when the store, asked again, does not show it or does not answer', async () => {
      const t = await setUnclear();
      for (const findFails of [false, true]) {
        t.store.switches.findFails = findFails;
        t.s.clock.advance(3_600_000);
        await recheckRefund(t.s.ports, t.call, { refundId: t.id });
        await t.work();
        expect(await t.s.refunds()).toMatchObject([t.review]);
      }
      t.s.closed.add(t.connection.id);
      await recheckRefund(t.s.ports, t.call, { refundId: t.id });
      expect(await t.s.refunds()).toMatchObject([t.review]);
      expect(await t.account()).toEqual(held(t.id));
      expect(t.store.calls.refund).toBe(1);
    });

    test('is not sent again by the worker when somebody’s look at it died half-way', async () => {
      const t = await setUnclear();
      await t.s.ports.transactions.run(async (tx) => {
        const current = await tx.refunds.find(t.call.workspaceId, t.id);
        const reopened = { status: 'unknown', nextAttemptAt: null } as const;
        return ok(current && (await tx.refunds.settle(t.id, current.epoch, reopened)));
      });
      t.s.clock.advance(60_000);
      await t.work();
      expect(await t.s.refunds()).toMatchObject([t.review]);
      expect(t.store.calls.refund).toBe(1);
    });

    test('is made when the store shows it after all, or a person says so', async () => {
      const shown = await setUnclear();
      shown.store.refundElsewhere('so_1', 1000, shown.id);
      await recheckRefund(shown.s.ports, shown.call, { refundId: shown.id });
      expect(await shown.s.refunds()).toMatchObject([{ status: 'succeeded', error: null }]);

      const said = await setUnclear();
      const resolved = await resolveRefund(said.s.ports, said.call, {
        refundId: said.id,
        outcome: 'succeeded',
      });
      expect(resolved).toMatchObject({ ok: true, value: { status: 'succeeded' } });
      expect(await said.account()).toEqual({ ...empty, refundedMinor: 1000 });
    });
  });

  describe('in the adapter, which throws,', () => {
    test('at the last look before sending sends nothing and frees everything', async () => {
      const t = setting({ latencyMs: 100 });
      const refund = t.refund({ amount: '10.00' });
      await t.s.clock.sleep(150);
      t.store.switches.getThrows = true;
      expect(await refund).toMatchObject({ code: 'platform.invalid_response', effect: 'none' });
      expect(t.store.calls.refund).toBe(0);
      expect(await t.account()).toEqual(empty);
    });

    test('once it was sent leaves it unknown until the store is asked, and sends nothing twice', async () => {
      const t = setting();
      t.store.faults.push('throws-after');
      t.store.switches.findThrows = true;
      const refund = await t.made({ amount: '10.00' });
      expect(refund.status).toBe('unknown');
      t.s.clock.advance(60_000);
      await t.work();
      expect(await t.account()).toEqual({ reservedMinor: 1000, refundedMinor: 0, inFlight: refund.id });
      t.store.switches.findThrows = false;
      t.s.clock.advance(600_000);
      await t.work();
      expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded', externalId: 're_1' }]);
      expect(t.store.calls.refund).toBe(1);
    });
  });

  test('that makes another amount is for a person', async () => {
    const t = setting();
    t.store.faults.push('other-amount');
    expect(await t.made({ amount: '10.00' })).toMatchObject({ status: 'needs_review', externalId: 're_1' });
  });

  test('that lasts a day is for a person', async () => {
    const t = setting();
    t.store.faults.push('lost-after');
    t.store.switches.findFails = true;
    await t.made({ amount: '10.00' });
    t.s.clock.advance(25 * 3_600_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'needs_review' }]);
  });
});

test('a clear refusal of the store is told with its words, again too, and frees the money', async () => {
  const t = setting();
  t.store.faults.push('refuse');
  const refused = { code: 'refund.refused', effect: 'none', platform: { name: 'Memory', message: 'no' } };
  expect(await t.refund({ amount: '10.00' }, t.keyed('a'))).toMatchObject(refused);
  expect(await t.account()).toEqual(empty);
  expect(await t.refund({ amount: '10.00' }, t.keyed('a'))).toMatchObject(refused);
  expect(t.store.calls.refund).toBe(1);
});

describe('a store that settles later', () => {
  test('leaves the refund pending and the order held, until it has', async () => {
    const t = setting();
    t.store.faults.push('settles-later');
    const refund = await t.made({ amount: '10.00' });
    expect(refund).toMatchObject({ status: 'pending', externalId: 're_1', moneyMoved: false });
    expect(await t.refund({ amount: '1.00' })).toMatchObject({ code: 'refund.in_progress' });
    t.s.clock.advance(6_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'pending' }]);
    t.store.settle('succeeded');
    t.s.clock.advance(60_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded', moneyMoved: true }]);
    expect(await t.account()).toEqual({ ...empty, refundedMinor: 1000 });
    expect(t.store.calls.refund).toBe(1);
  });

  test('and fails frees the money', async () => {
    const t = setting();
    t.store.faults.push('settles-later');
    await t.made({ amount: '10.00' });
    t.store.settle('failed');
    t.s.clock.advance(60_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'failed', error: { code: 'refund.refused' } }]);
    expect(await t.account()).toEqual(empty);
  });

  test('and forgets it is for a person', async () => {
    const t = setting();
    t.store.faults.push('settles-later');
    await t.made({ amount: '10.00' });
    t.store.switches.hidesRefunds = true;
    t.s.clock.advance(60_000);
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'needs_review' }]);
  });
});

describe('waiting', () => {
  test('ends when the caller’s patience does, and the refund goes on without it', async () => {
    const t = setting({ latencyMs: 3_000 });
    const refund = await t.made({ amount: '10.00' }, t.s.call(t.key, { waitSeconds: 2 }));
    expect(refund.status).toBe('pending');
    await t.s.clock.sleep(60_000);
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded' }]);
    expect(t.store.refunds).toHaveLength(1);
  });

  test('is left out by who does not want to, and the worker sends', async () => {
    const t = setting();
    expect(await t.made({ amount: '10.00' }, t.s.call(t.key, { waitSeconds: 0 }))).toMatchObject({
      status: 'pending',
      sentAt: null,
    });
    expect(t.s.jobs()[0]?.startAfter?.getTime()).toBeLessThanOrEqual(t.s.clock.now().getTime());
    await t.work();
    expect(await t.s.refunds()).toMatchObject([{ status: 'succeeded' }]);
  });

  test('a request that died after reserving is taken up by the worker, and its repetition finds the refund', async () => {
    const t = setting();
    await t.made({ amount: '10.00' }, t.s.call(t.key, { waitSeconds: 0, ...t.s.withKey(t.key, 'a') }));
    const [again] = await Promise.all([t.made({ amount: '10.00' }, t.keyed('a')), t.work()]);
    expect(again.status).toBe('succeeded');
    expect(t.store.refunds).toHaveLength(1);
  });
});

describe('a ceiling', () => {
  const ceiling = { refundCeilings: [{ currency: 'EUR', perRefundMinor: 1000, perDayMinor: 1500 }] };
  const orders = Array.from({ length: 20 }, (_, n) => remoteOrder({ externalId: `so_${n}` }));

  test('holds for a refund, for a day and for every currency', async () => {
    const t = setting({ orders: [...orders, remoteOrder({ externalId: 'yen' }, 'JPY')] }, ceiling);
    expect(await t.refund({ amount: '10.01' })).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
      details: { ceilingRemaining: [{ currency: 'EUR', per_refund: '10.00', per_day_left: '15.00' }] },
    });
    await t.made({ amount: '10.00' });
    expect(await t.refund({ amount: '5.01' })).toMatchObject({ code: 'key.refund_ceiling_exceeded' });
    const yen = formatOrderId({ connectionId: t.connection.id, externalId: 'yen' });
    expect(await t.refund({ orderId: yen, amount: '1' })).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
    });
    await t.made({ amount: '5.00' });
    t.s.clock.advance(24 * 3_600_000);
    expect(await t.made({ amount: '10.00' })).toMatchObject({ status: 'succeeded' });
  });

  test('holds against twenty at once on twenty orders', async () => {
    const t = setting({ orders }, ceiling);
    await Promise.all(
      orders.map(({ externalId }) =>
        t.refund({ orderId: formatOrderId({ connectionId: t.connection.id, externalId }), amount: '4.00' }),
      ),
    );
    expect(t.store.refunds).toHaveLength(3);
  });

  test('counts what is unknown, and not what failed', async () => {
    const t = setting({ orders }, ceiling);
    const of = (externalId: string) => formatOrderId({ connectionId: t.connection.id, externalId });
    t.store.faults.push('refuse');
    expect(await t.refund({ orderId: of('so_1'), amount: '10.00' })).toMatchObject({
      code: 'refund.refused',
    });
    t.store.faults.push('lost-before');
    await t.made({ orderId: of('so_2'), amount: '10.00' });
    expect(await t.refund({ orderId: of('so_3'), amount: '10.00' })).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
    });
  });

  test('is shared by a key and what it was rotated into', async () => {
    const t = setting({ orders }, ceiling);
    await t.made({ amount: '10.00' });
    const rotated = { ...t.s.key(ceiling), lineage: t.key.lineage };
    expect(await t.refund({ amount: '5.01' }, t.s.call(rotated))).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
    });
  });
});

describe('a quote', () => {
  test('says exactly what will happen and moves nothing', async () => {
    const t = setting({}, { refundCeilings: [{ currency: 'EUR', perRefundMinor: 5000, perDayMinor: 9000 }] });
    const quoted = await t.quote({
      lineItems: [{ id: 'mug', quantity: 1, restock: true }],
      shipping: '0.90',
      notifyCustomer: false,
    });
    expect(quoted).toMatchObject({
      quote: {
        amount: { amountMinor: 1090 },
        refundableAfter: { amountMinor: 3900 },
        expiresAt: t.s.clock.after(30 * 60_000),
      },
      breakdown: { linesMinor: 1000, shippingMinor: 90, otherMinor: 0 },
      restock: true,
      customerNotified: 'no',
      ceilingRemaining: [{ currency: 'EUR', perRefundMinor: 5000, perDayLeftMinor: 9000 }],
    });
    expect(quoted.consequences).toEqual([
      'Memory store sends 10.90 EUR back to the customer. This cannot be undone.',
      '1 item goes back into stock.',
      'The store does not tell the customer.',
      '39.00 EUR can still be refunded of this order afterwards.',
    ]);
    expect(t.store.calls.refund).toBe(0);
    expect(await t.s.refunds()).toEqual([]);
  });

  test('says what the store says that lines and shipping come to, and refunds exactly that', async () => {
    const t = setting({
      calculates: ({ lines, shippingMinor }) => ({
        linesMinor: 999 * lines.length,
        shippingMinor: shippingMinor - 1,
      }),
    });
    const quoted = await t.quote({ lineItems: [{ id: 'mug', quantity: 1 }], shipping: '0.90' });
    expect(quoted).toMatchObject({
      quote: { amount: { amountMinor: 1088 } },
      breakdown: { linesMinor: 999, shippingMinor: 89, otherMinor: 0 },
    });
    const refund = await refundOrder(t.s.ports, t.call, { quoteId: quoted.quote.id });
    expect(refund).toMatchObject({ ok: true, value: { amount: { amountMinor: 1088 } } });
    expect(t.store.refundedMinor('so_1')).toBe(1088);
    expect(await t.made({ amount: '1.00' })).toMatchObject({ amount: { amountMinor: 100 } });
  });

  test('is refunded once, however often it is used, and needs no order id', async () => {
    const t = setting();
    const { quote } = await t.quote({ amount: '10.00' });
    const use = () => refundOrder(t.s.ports, t.call, { quoteId: quote.id });
    const results = await Promise.all([use(), use(), use()]);
    const later = await use();
    expect(
      new Set([...results, later].map((result) => (result.ok ? result.value.id : result.failure.code))).size,
    ).toBe(1);
    expect(t.store.refunds).toMatchObject([{ amount: { amountMinor: 1000 } }]);
  });

  test('asked for again while it is being used names the refund, also when the order was read after the money had moved', async () => {
    const t = setting();
    const { quote } = await t.quote({ amount: '10.00' });
    const { get } = t.store.platform.orders ?? {};
    let reads = 0;
    Object.assign(t.store.platform.orders ?? {}, {
      get: async (...asked: Parameters<NonNullable<typeof get>>) => {
        if (++reads === 2) await t.s.clock.sleep(1000);
        return get?.(...asked);
      },
    });
    const [first, second] = await Promise.all([
      t.refund({ quoteId: quote.id }),
      t.refund({ quoteId: quote.id }),
    ]);
    expect(first).toMatchObject({ status: 'succeeded' });
    expect(second).toEqual(first);
    expect(t.store.refunds).toHaveLength(1);
  });

  test('says everything: no other field goes with it', async () => {
    const t = setting();
    const { quote } = await t.quote({ amount: '10.00' });
    expect(await t.refund({ quoteId: quote.id, amount: '11.00' })).toMatchObject({
      code: 'refund.extent_conflict',
    });
  });

  test('ends after thirty minutes, but what it made is still found by it', async () => {
    const t = setting();
    const [used, unused] = [await t.quote({ amount: '10.00' }), await t.quote({ amount: '10.00' })];
    const refund = await t.made({ quoteId: used.quote.id });
    t.s.clock.advance(30 * 60_000);
    expect(await t.refund({ quoteId: unused.quote.id })).toMatchObject({ code: 'quote.expired' });
    expect(await t.made({ quoteId: used.quote.id })).toMatchObject({ id: refund.id });
  });

  test('ends when the order’s money changes, and not when its note does', async () => {
    const t = setting();
    const [one, two] = [await t.quote({ amount: '10.00' }), await t.quote({ amount: '10.00' })];
    t.store.put(remoteOrder({ note: 'call first', updatedAt: t.s.clock.now() }));
    await t.made({ quoteId: one.quote.id });
    expect(await t.refund({ quoteId: two.quote.id })).toMatchObject({ code: 'quote.changed' });
  });

  test('of another key, of another order, or of nobody is not found', async () => {
    const t = setting({ orders: [remoteOrder(), remoteOrder({ externalId: 'so_2' })] });
    const { quote } = await t.quote({ amount: '10.00' });
    expect(await t.refund({ quoteId: quote.id }, t.s.call(t.s.key()))).toMatchObject({
      code: 'quote.not_found',
    });
    const other = formatOrderId({ connectionId: t.connection.id, externalId: 'so_2' });
    expect(await t.refund({ orderId: other, quoteId: quote.id })).toMatchObject({ code: 'quote.not_found' });
    expect(await t.refund({ quoteId: 'quo_nonsense' })).toMatchObject({ code: 'quote.not_found' });
    expect(t.store.calls.refund).toBe(0);
  });

  test('may be used again when nothing was sent', async () => {
    const t = setting();
    const { quote } = await t.quote({ amount: '10.00' });
    t.store.faults.push('unreachable');
    expect(await t.refund({ quoteId: quote.id })).toMatchObject({
      code: 'platform.unavailable',
      effect: 'none',
    });
    expect(await t.made({ quoteId: quote.id })).toMatchObject({ status: 'succeeded' });
  });
});

test('what is expected to be refundable must be', async () => {
  const t = setting();
  expect(await t.refund({ amount: '1.00', expectedRefundable: '49.89' })).toMatchObject({
    code: 'refund.refundable_changed',
  });
  expect(await t.refund({ amount: '1.00', expectedRefundable: '0' })).toMatchObject({
    code: 'refund.refundable_changed',
  });
  expect(await t.made({ amount: '1.00', expectedRefundable: '49.90' })).toMatchObject({
    status: 'succeeded',
  });
});

test('a refund that is only booked says that no money moved', async () => {
  const t = setting({ orders: [remoteOrder({ payments: [payment('transfer', 4990, 'EUR', false)] })] });
  expect(await t.refund({ amount: '10.00' })).toMatchObject({ code: 'refund.offline_only' });
  expect(await t.made({ amount: '10.00', allowOffline: true })).toMatchObject({
    status: 'succeeded',
    moneyMoved: false,
  });
});

test('an order out of reach, of nobody, or no order at all is not found', async () => {
  const t = setting();
  const stranger = t.s.call(t.s.key({ profileIds: [t.s.build.profile(t.s.workspace).id] }));
  expect(await t.refund({}, stranger)).toMatchObject({ code: 'order.not_found' });
  expect(await t.refund({ orderId: 'ord_nonsense' })).toMatchObject({ code: 'order.not_found' });
  expect(await t.refund({ orderId: undefined })).toMatchObject({ code: 'order.not_found' });
  const gone = formatOrderId({ connectionId: t.connection.id, externalId: 'so_404' });
  expect(await t.refund({ orderId: gone })).toMatchObject({ code: 'order.not_found' });
});

describe('resolving', () => {
  async function doubtful() {
    const t = setting({ readsBack: false });
    t.store.faults.push('lost-after');
    const refund = await t.made({ amount: '10.00' });
    const resolve = (outcome: 'succeeded' | 'failed', more: { externalId?: string; note?: string } = {}) =>
      resolveRefund(t.s.ports, t.call, { refundId: refund.id, outcome, ...more });
    return { ...t, resolve, id: refund.id };
  }

  test('as made spends the money, and as not made frees it', async () => {
    const made = await doubtful();
    expect(await made.resolve('succeeded', { externalId: 're_1', note: 'seen' })).toMatchObject({
      ok: true,
      value: { status: 'succeeded', externalId: 're_1', moneyMoved: true },
    });
    expect(await made.account()).toEqual({ ...empty, refundedMinor: 1000 });
    expect(made.s.events().at(-1)).toMatchObject({
      type: 'refund.succeeded',
      data: { resolution_note: 'seen', resolved_by: made.key.id },
    });

    const not = await doubtful();
    expect(await not.resolve('failed')).toMatchObject({ ok: true, value: { status: 'failed' } });
    expect(await not.account()).toEqual(empty);
  });

  test('happens once, however many do it at once', async () => {
    const t = await doubtful();
    const results = await Promise.all([t.resolve('failed'), t.resolve('succeeded'), t.resolve('failed')]);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(results.find((result) => !result.ok)).toMatchObject({ failure: { code: 'refund.settled' } });
  });

  test('waits for whoever is reading back, and wins over nobody', async () => {
    const t = setting({ latencyMs: 100 });
    t.store.faults.push('lost-after');
    t.store.switches.findFails = true;
    const refund = await t.made({ amount: '10.00' });
    t.store.switches.findFails = false;
    const reading = recheckRefund(t.s.ports, t.call, { refundId: refund.id });
    await t.s.clock.sleep(50);
    const resolved = await resolveRefund(t.s.ports, t.call, { refundId: refund.id, outcome: 'failed' });
    expect(resolved).toMatchObject({ ok: false, failure: { code: 'refund.in_progress' } });
    expect(await reading).toMatchObject({ ok: true, value: { status: 'succeeded' } });
  });

  test('is not for a stranger’s eyes', async () => {
    const t = await doubtful();
    const stranger = t.s.call(t.s.key({ profileIds: [t.s.build.profile(t.s.workspace).id] }));
    const result = await resolveRefund(t.s.ports, stranger, { refundId: t.id, outcome: 'failed' });
    expect(result).toMatchObject({ ok: false, failure: { code: 'refund.not_found' } });
  });
});

test('rechecking finds what was made, and fails what was certainly not made, without sending', async () => {
  const found = setting();
  found.store.faults.push('lost-after');
  found.store.switches.findFails = true;
  const made = await found.made({ amount: '10.00' });
  found.store.switches.findFails = false;
  expect(await recheckRefund(found.s.ports, found.call, { refundId: made.id })).toMatchObject({
    value: { status: 'succeeded' },
  });

  const lost = setting();
  lost.store.faults.push('lost-before');
  const missing = await lost.made({ amount: '10.00' });
  const recheck = () => recheckRefund(lost.s.ports, lost.call, { refundId: missing.id });
  expect(await recheck()).toMatchObject({ value: { status: 'unknown' } });
  lost.s.clock.advance(120_000);
  expect(await recheck()).toMatchObject({ value: { status: 'failed' } });
  expect(lost.store.calls.refund).toBe(1);
});

describe('what is refused names the call that goes on from there', () => {
  test('a quote that is not good any more is asked for again, exactly as it was', async () => {
    const t = setting();
    const asked = { amount: '5.00', reason: 'damaged', note: 'as agreed', notifyCustomer: true };
    const old = await t.quote(asked);
    t.s.clock.advance(31 * 60_000);
    const expired = await t.refund({ quoteId: old.quote.id });
    expect(expired).toMatchObject({
      code: 'quote.expired',
      next: {
        operation: 'quoteRefund',
        arguments: {
          order_id: t.orderId,
          amount: '5.00',
          reason: 'damaged',
          note: 'as agreed',
          notify_customer: true,
        },
      },
    });
    const changed = await t.quote({
      lineItems: [{ id: 'mug', quantity: 1, restock: true }],
      shipping: 'full',
    });
    await t.made({ amount: '1.00' });
    expect(await t.refund({ quoteId: changed.quote.id })).toMatchObject({
      code: 'quote.changed',
      next: {
        operation: 'quoteRefund',
        arguments: { line_items: [{ id: 'mug', quantity: 1, restock: true }] },
      },
    });
    const whole = await t.quote();
    await t.made({ amount: '1.00', allowDuplicate: true });
    expect(await t.refund({ quoteId: whole.quote.id })).toMatchObject({
      next: { operation: 'quoteRefund', arguments: { order_id: t.orderId, full: true } },
    });
  });

  test('of more than there is, as much as there is: never more than was asked for', async () => {
    const t = setting();
    expect(await t.refund({ amount: '60.00' })).toMatchObject({
      code: 'refund.exceeds_refundable',
      next: { operation: 'quoteRefund', arguments: { order_id: t.orderId, amount: '49.90' } },
    });
    expect(await t.refund({ lineItems: [{ id: 'mug', quantity: 99 }] })).toMatchObject({
      code: 'refund.exceeds_refundable',
      next: { operation: 'getOrder', arguments: { order_id: t.orderId } },
    });
    await t.made();
    expect(await t.refund({ amount: '1.00' })).toMatchObject({ next: { operation: 'getOrder' } });
  });

  test('above a ceiling, what the key may still refund', async () => {
    const t = setting({}, { refundCeilings: [{ currency: 'EUR', perRefundMinor: 1000, perDayMinor: 1500 }] });
    await t.made({ amount: '10.00' });
    expect(await t.refund({ amount: '6.00' })).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
      next: { operation: 'quoteRefund', arguments: { amount: '5.00' } },
    });
    await t.made({ amount: '5.00' });
    expect(await t.refund({ amount: '4.00' })).toMatchObject({ next: { operation: 'getOrder' } });
  });
});

describe('where a person can be asked', () => {
  const asking = (t: ReturnType<typeof setting>): Call => ({ ...t.call, confirmed: false });

  test('nothing happens before they agreed, and the quote stays good', async () => {
    const t = setting();
    const { quote } = await t.quote({ amount: '5.00' });
    for (const _ of [1, 2]) {
      expect(await t.refund({ quoteId: quote.id }, asking(t))).toMatchObject({
        code: 'refund.not_confirmed',
        details: {
          orderId: t.orderId,
          amount: { amount: '5.00', currency: 'EUR' },
          consequences: expect.arrayContaining([expect.stringContaining('cannot be undone')]),
        },
      });
    }
    expect(t.store.refunds).toEqual([]);
    expect(t.types()).toEqual([]);
    const agreed = { ...t.call, confirmed: true };
    expect(await t.refund({ quoteId: quote.id }, agreed)).toMatchObject({ status: 'succeeded' });
  });

  test('they are not bothered with what would be refused anyway, nor with what was done already', async () => {
    const ceiling = { refundCeilings: [{ currency: 'EUR', perRefundMinor: 100, perDayMinor: 100 }] };
    const poor = setting({}, ceiling);
    const tooMuch = await poor.quote({ amount: '5.00' });
    expect(await poor.refund({ quoteId: tooMuch.quote.id }, asking(poor))).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
    });
    const t = setting();
    const { quote } = await t.quote({ amount: '5.00' });
    expect(await t.refund({ quoteId: 'quo_forged' }, asking(t))).toMatchObject({ code: 'quote.not_found' });
    await t.made({ quoteId: quote.id });
    expect(await t.refund({ quoteId: quote.id }, asking(t))).toMatchObject({ status: 'succeeded' });
    const late = await t.quote({ amount: '1.00' });
    t.s.clock.advance(31 * 60_000);
    expect(await t.refund({ quoteId: late.quote.id }, asking(t))).toMatchObject({ code: 'quote.expired' });
  });
});
