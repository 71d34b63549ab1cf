import { describe, expect, test } from '@jest/globals';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { createRefundFixture, emptyAccount } from '../../testing/stores/refund-fixture.js';
import type { ApprovalPolicy, KeyPolicy } from '../access/policy.js';
import type { Call } from '../call.js';
import { formatOrderId } from '../orders/order-id.js';
import { recheckRefund } from '../refunds/recheck-refund.js';
import { resolveRefund } from '../refunds/resolve-refund.js';
import type { Refund } from '../refunds/refund.js';
import { approveApproval } from './approve-approval.js';
import { expireApprovals } from './expire-approvals.js';
import { rejectApproval } from './reject-approval.js';

const DAY_MS = 86_400_000;
const over = (amountMinor: number, more: Partial<ApprovalPolicy> = {}): Partial<KeyPolicy> => ({
  approval: {
    posts: 'never',
    refundsOver: [{ currency: 'EUR', amountMinor }],
    expiresInHours: 72,
    ...more,
  },
});

/** An agent whose refunds over 10.00 need an approval, and a key of another family that may decide. */
async function scene(
  policy: Partial<KeyPolicy> = over(1000),
  options: Parameters<typeof createRefundFixture>[0] = {},
) {
  const t = createRefundFixture(options, policy);
  await t.s.store(t.key);
  const person = t.s.build.apiKey(t.s.workspace, { scopes: ['approvals:write'] });
  await t.s.store(person);
  const call = t.s.call(person);
  const atomic = { ...t.s.ports };
  const inTransaction = <Value>(work: (ports: never) => Promise<Value>) =>
    t.s.ports.transactions.run((tx) => work({ ...atomic, ...tx } as never) as never);
  const idOf = (refund: Refund) => refund.approval?.id ?? '';
  return {
    ...t,
    person,
    approve: (refund: Refund, as: Call = call) =>
      inTransaction((ports) => approveApproval(ports, as, { id: idOf(refund) })),
    reject: (refund: Refund, note = 'Too much.') =>
      inTransaction((ports) => rejectApproval(ports, call, { id: idOf(refund), note })),
    expire: () => expireApprovals(t.s.ports, new AbortController().signal),
    read: async ({ workspaceId, id }: Refund) => {
      const refund = await t.s.ports.refunds.find(workspaceId, id);
      if (!refund) throw new Error('the refund is gone');
      return refund;
    },
  };
}

test('a refund over the amount is reserved and waits, and is sent once a person approved it', async () => {
  const t = await scene();
  const refund = await t.made({ amount: '20.00' });
  expect(refund).toMatchObject({
    status: 'awaiting_approval',
    approval: { status: 'pending' },
    moneyMoved: null,
  });
  expect(await t.account()).toEqual({ ...emptyAccount, reservedMinor: 2000, inFlight: refund.id });
  t.s.clock.advance(DAY_MS);
  await t.work();
  expect(t.store.refunds).toHaveLength(0);
  expect(await t.approve(refund)).toMatchObject({ ok: true });
  await t.work();
  expect(t.store.refunds).toMatchObject([{ amount: { amountMinor: 2000 } }]);
  expect(await t.read(refund)).toMatchObject({ status: 'succeeded', approval: { status: 'approved' } });
  expect(t.types()).toEqual(['refund.created', 'approval.requested', 'approval.decided', 'refund.succeeded']);
});

test('the request states what is refunded, of which order, and what remains', async () => {
  const t = await scene(over(0));
  const refund = await t.made({ lineItems: [{ id: 'mug', quantity: 1, restock: true }] });
  const [approval] = await t.s.ports.approvals.listOf([refund.id]);
  expect(approval).toMatchObject({
    kind: 'refund',
    summary: expect.stringMatching(/^Refund \d+\.\d\d EUR of order \S+ of /) as unknown,
    refundPreview: {
      lines: [{ quantity: 1, restock: true, amountMinor: refund.amount.amountMinor }],
      refundableAfterMinor: 4990 - refund.amount.amountMinor,
    },
  });
});

describe('a refund that is not approved', () => {
  test.each(['rejected', 'expired'] as const)(
    'is %s: it fails, and its money is free again',
    async (status) => {
      const t = await scene({
        ...over(1000),
        refundCeilings: [{ currency: 'EUR', perRefundMinor: 4000, perDayMinor: 4000 }],
      });
      const refund = await t.made({ amount: '40.00' }, t.keyed('once'));
      expect(await t.refund({ amount: '1.00' })).toMatchObject({ code: 'refund.in_progress' });
      if (status === 'rejected') await t.reject(refund);
      else {
        t.s.clock.advance(3 * DAY_MS);
        await t.expire();
      }
      await t.work();
      expect(await t.read(refund)).toMatchObject({
        status: 'failed',
        moneyMoved: false,
        error: { code: `approval.${status}` },
        approval: { status },
      });
      expect(await t.account()).toEqual(emptyAccount);
      expect(t.store.calls.refund).toBe(0);
      // The same request is the same refund.
      expect(await t.made({ amount: '40.00' }, t.keyed('once'))).toMatchObject({
        id: refund.id,
        replayed: true,
      });
      expect(await t.made({ amount: '40.00', allowDuplicate: true })).toMatchObject({
        status: 'awaiting_approval',
      });
    },
  );
});

test('a refund up to the amount needs no approval, and one in another currency always', async () => {
  const orders = [remoteOrder({ externalId: 'so_1' }), remoteOrder({ externalId: 'yen' }, 'JPY')];
  const t = await scene(over(1000), { orders });
  expect(await t.made({ amount: '10.00' })).toMatchObject({ status: 'succeeded', approval: null });
  const yen = formatOrderId({ connectionId: t.connection.id, externalId: 'yen' });
  expect(await t.made({ orderId: yen, amount: '1' })).toMatchObject({ status: 'awaiting_approval' });
});

test('several refunds of one order that together exceed the amount need an approval', async () => {
  const t = await scene();
  await t.made({ amount: '6.00' });
  const second = await t.made({ amount: '4.01' });
  expect(second).toMatchObject({ status: 'awaiting_approval' });
  await t.approve(second);
  await t.work();
  // What a person approved does not count: the limit is for what was not.
  expect(await t.made({ amount: '4.00' })).toMatchObject({ status: 'succeeded' });
  expect(await t.made({ amount: '0.01' })).toMatchObject({ status: 'awaiting_approval' });
});

test('the amount is that of every ancestor, over all of its descendants', async () => {
  const t = await scene({});
  const root = t.s.build.apiKey(t.s.workspace, { policy: { ...t.key.policy, ...over(1000) } });
  await t.s.store(root);
  const children = [0, 1].map(() => t.s.build.apiKey(t.s.workspace, { ancestors: [root.lineage] }));
  for (const child of children) await t.s.store(child);
  const [one, two] = children.map((child) => t.s.call(child));
  expect(await t.made({ amount: '6.00' }, one)).toMatchObject({ status: 'succeeded' });
  expect(await t.made({ amount: '4.01' }, two)).toMatchObject({ status: 'awaiting_approval' });
});

test('a refund that waits counts against the ceiling of every day until it is sent, and then of that day', async () => {
  const orders = Array.from({ length: 5 }, (_, n) => remoteOrder({ externalId: `so_${n}` }));
  const t = await scene(
    { ...over(1000), refundCeilings: [{ currency: 'EUR', perRefundMinor: 3000, perDayMinor: 3000 }] },
    { orders },
  );
  const of = (n: number) => formatOrderId({ connectionId: t.connection.id, externalId: `so_${n}` });
  const refund = await t.made({ orderId: of(1), amount: '25.00' });
  expect(await t.refund({ orderId: of(2), amount: '5.01' })).toMatchObject({
    code: 'key.refund_ceiling_exceeded',
  });
  t.s.clock.advance(DAY_MS);
  expect(await t.refund({ orderId: of(2), amount: '5.01' })).toMatchObject({
    code: 'key.refund_ceiling_exceeded',
  });
  await t.approve(refund);
  await t.work();
  expect(t.store.refunds).toHaveLength(1);
  expect(await t.refund({ orderId: of(2), amount: '5.01' })).toMatchObject({
    code: 'key.refund_ceiling_exceeded',
  });
  t.s.clock.advance(DAY_MS);
  expect(await t.made({ orderId: of(2), amount: '10.00' })).toMatchObject({ status: 'succeeded' });
});

test('an order that was refunded elsewhere meanwhile is not refunded beyond what was captured', async () => {
  const t = await scene();
  const refund = await t.made({ amount: '40.00' });
  t.store.refundElsewhere('so_1', 2000);
  await t.approve(refund);
  await t.work();
  expect(await t.read(refund)).toMatchObject({
    status: 'failed',
    error: { code: 'refund.exceeds_refundable' },
  });
  expect(t.store.refundedMinor('so_1')).toBe(2000);
});

test('a refund approved days after its request has the same time to be found at the store as any other', async () => {
  const t = await scene();
  const refund = await t.made({ amount: '20.00' });
  t.s.clock.advance(2 * DAY_MS);
  await t.approve(refund);
  t.store.faults.push('lost-before');
  await t.work();
  expect(await t.read(refund)).toMatchObject({ status: 'unknown' });
  for (let round = 0; round < 3; round++) {
    t.s.clock.advance(60_000);
    await t.work();
  }
  expect(await t.read(refund)).toMatchObject({ status: 'succeeded' });
  expect(t.store.refunds).toHaveLength(1);
});

test('it can be neither resolved nor sent by a recheck while it waits', async () => {
  const t = await scene();
  const refund = await t.made({ amount: '20.00' });
  t.s.clock.advance(DAY_MS);
  for (const outcome of ['failed', 'succeeded'] as const)
    expect(await resolveRefund(t.s.ports, t.call, { refundId: refund.id, outcome })).toMatchObject({
      failure: { code: 'refund.in_progress' },
    });
  await recheckRefund(t.s.ports, t.call, { refundId: refund.id });
  expect(await t.read(refund)).toMatchObject({ status: 'awaiting_approval' });
  expect(t.store.calls.refund).toBe(0);
});

test('a quote of a refund that waits is used: presenting it again is the same refund', async () => {
  const t = await scene();
  const { quote } = await t.quote({ amount: '20.00' });
  const refund = await t.made({ quoteId: quote.id });
  expect(await t.made({ quoteId: quote.id })).toMatchObject({ id: refund.id, replayed: true });
  await t.reject(refund);
  expect(await t.made({ quoteId: quote.id })).toMatchObject({ id: refund.id, status: 'failed' });
});

test('the request returns at once, unless its caller sets a wait', async () => {
  const t = await scene();
  const begunMs = t.s.clock.now().getTime();
  const refund = await t.made({ amount: '20.00' });
  expect(t.s.clock.now().getTime() - begunMs).toBeLessThan(1000);
  await t.reject(refund);
  const waiting = t.made({ amount: '20.00', allowDuplicate: true }, { ...t.call, requestsWait: true });
  await t.s.clock.sleep(5000);
  const [latest] = (await t.s.refunds()).filter(({ status }) => status === 'awaiting_approval');
  if (!latest) throw new Error('no refund waits');
  await t.approve(latest);
  expect(await waiting).toMatchObject({ id: latest.id, approval: { status: 'approved' } });
  expect(t.s.clock.now().getTime() - begunMs).toBeLessThan(10_000);
});

test('a refund whose content differs from what was approved is not sent', async () => {
  const t = await scene();
  const refund = await t.made({ amount: '20.00' });
  await t.approve(refund);
  // No operation can do this. It represents every way in which a refund could change after the decision.
  const stored = { ...(await t.read(refund)), amount: { amountMinor: 4990, currency: 'EUR' } };
  const { isRefundApproved } = await import('./check-approved.js');
  expect(await isRefundApproved(t.s.ports, stored)).toBe(false);
  expect(await isRefundApproved(t.s.ports, await t.read(refund))).toBe(true);
});
