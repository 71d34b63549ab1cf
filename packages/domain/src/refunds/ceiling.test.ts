import { describe, expect, test } from '@jest/globals';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { createRefundFixture } from '../../testing/stores/refund-fixture.js';
import { chargedLineages, type ApiKey } from '../access/api-key.js';
import type { KeyPolicy } from '../access/policy.js';
import { formatOrderId } from '../orders/order-id.js';

const orderOf = (t: ReturnType<typeof createRefundFixture>, n: number) =>
  formatOrderId({ connectionId: t.connection.id, externalId: `so_${n}` });

describe('a ceiling', () => {
  const ceiling = { refundCeilings: [{ currency: 'EUR', perRefundMinor: 1000, perDayMinor: 1500 }] };
  const orders = Array.from({ length: 20 }, (_, n) => remoteOrder({ externalId: `so_${n}` }));

  test('applies per refund, per day and per currency', async () => {
    const t = createRefundFixture(
      { orders: [...orders, remoteOrder({ externalId: 'yen' }, 'JPY')] },
      ceiling,
    );
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

  test('holds against twenty concurrent refunds on twenty orders', async () => {
    const t = createRefundFixture({ orders }, ceiling);
    await Promise.all(
      orders.map(({ externalId }) =>
        t.refund({ orderId: formatOrderId({ connectionId: t.connection.id, externalId }), amount: '4.00' }),
      ),
    );
    expect(t.store.refunds).toHaveLength(3);
  });

  test('counts unknown refunds, and not failed ones', async () => {
    const t = createRefundFixture({ orders }, ceiling);
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

  test('counts the refunds of all descendants, regardless of their number (finding 2)', async () => {
    const t = createRefundFixture({ orders }, ceiling);
    await t.s.store(t.key);
    const childOf = async (maker: ApiKey, policy: Partial<KeyPolicy> = ceiling) => {
      const key = { ...t.s.key(policy), ancestors: chargedLineages(maker) };
      await t.s.store(key);
      return key;
    };
    const [first, second] = [await childOf(t.key), await childOf(t.key)];
    const grandchild = await childOf(second, {});
    const refundAs = (key: ApiKey, n: number, amount: string) =>
      t.refund({ orderId: orderOf(t, n), amount }, t.s.call(key));
    expect(await refundAs(first, 1, '6.00')).toMatchObject({ status: 'succeeded' });
    expect(await refundAs(grandchild, 2, '6.00')).toMatchObject({ status: 'succeeded' });
    const exceeded = {
      code: 'key.refund_ceiling_exceeded',
      details: { ceilingRemaining: [{ currency: 'EUR', per_refund: '10.00', per_day_left: '3.00' }] },
    };
    for (const key of [first, second, grandchild, t.key])
      expect(await refundAs(key, 3, '3.01')).toMatchObject(exceeded);
    const others = await childOf(t.key);
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        refundAs([first, second, grandchild, others][n % 4] ?? first, n + 4, '1.00'),
      ),
    );
    expect(t.store.refunds.reduce((sum, { amount }) => sum + amount.amountMinor, 0)).toBe(1500);
  });

  test('of an ancestor is that of its current key, also when that was revoked or restricted (finding 2)', async () => {
    const t = createRefundFixture({ orders }, ceiling);
    const next = { ...t.s.key(ceiling), lineage: t.key.lineage };
    await t.s.store({ ...t.key, replacedBy: next.id });
    await t.s.store({
      ...next,
      revokedAt: t.s.clock.now(),
      policy: {
        ...next.policy,
        refundCeilings: [{ currency: 'EUR', perRefundMinor: 400, perDayMinor: 700 }],
      },
    });
    const child = { ...t.s.key(), ancestors: [t.key.lineage] };
    const as = t.s.call(child);
    expect(await t.refund({ amount: '4.01' }, as)).toMatchObject({ code: 'key.refund_ceiling_exceeded' });
    await t.made({ amount: '4.00' }, as);
    expect(await t.refund({ amount: '3.01' }, as)).toMatchObject({ code: 'key.refund_ceiling_exceeded' });
    await t.made({ amount: '3.00' }, as);
  });

  test('is shared by a key and its replacement after rotation', async () => {
    const t = createRefundFixture({ orders }, ceiling);
    await t.made({ amount: '10.00' });
    const rotated = { ...t.s.key(ceiling), lineage: t.key.lineage };
    expect(await t.refund({ amount: '5.01' }, t.s.call(rotated))).toMatchObject({
      code: 'key.refund_ceiling_exceeded',
    });
  });
});
