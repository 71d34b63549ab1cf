import { expect, test } from '@jest/globals';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { Orders, RefundInstruction, Refunding } from '@switchboard/domain/ports';
import { buildInstruction } from './calls.js';
import type { ContractContext } from './contract-context.js';
import type { Breakage } from './world.js';

export function refundsContract(
  { platform, world, open, value, code }: ContractContext,
  refunds: Refunding,
  orders: Orders,
): void {
  const find = refunds.find?.bind(refunds);
  /** Breaks the request that moves the money. */
  const breakRefund = (how: Breakage) => world().break(how, world().readsBeforeRefund);

  /** An order with a refundable remainder on a payment that the store can refund. */
  const findRefundable = async () => {
    let token: string | undefined;
    do {
      const page = value(await orders.list(open(), { sort: '-created_at' }, { limit: 50, token }));
      for (const order of page.orders) {
        const payment = order.payments.find(
          (one) => one.refundableOnline && one.refundable.amountMinor > 100,
        );
        if (payment) return { order, payment };
      }
      token = page.next;
    } while (token !== undefined);
    throw new Error('no order can be refunded');
  };
  const expectNotFound = (found: Awaited<ReturnType<NonNullable<typeof find>>>) =>
    world().absenceProvesNothing
      ? expect(code(found)).toBe('platform.outcome_unknown')
      : expect(value(found)).toBeNull();
  const buildRefund = async (
    amountMinor = 7,
  ): Promise<{ order: RemoteOrder; instruction: RefundInstruction }> => {
    const { order, payment } = await findRefundable();
    return {
      order,
      instruction: buildInstruction(order.externalId, payment.id, order.currency, amountMinor),
    };
  };

  test('a refund moves its amount once and has our reference', async () => {
    const { order, instruction } = await buildRefund();
    const before = world().effects();
    const refund = value(await refunds.refund(open(), instruction));
    expect(refund).toMatchObject({
      amount: { amountMinor: 7, currency: order.currency },
      reference: find ? instruction.reference : refund.reference,
    });
    expect(world().effects()).toBe(before + 1);

    const after = value(await orders.get(open(), order.externalId));
    expect(after?.totals.refundable.amountMinor).toBe(order.totals.refundable.amountMinor - 7);
    expect(after?.refunds.map((one) => one.externalId)).toContain(refund.externalId);
  });

  for (const how of ['500-after', 'reset-after-effect', '2xx-truncated', '2xx-no-id', 'garbage'] as const) {
    test(`a refund whose response is lost to a ${how} has an unknown outcome and is made once`, async () => {
      const { instruction } = await buildRefund();
      const before = world().effects();
      breakRefund(how);
      expect(code(await refunds.refund(open(), instruction))).toBe('platform.outcome_unknown');
      expect(world().effects()).toBe(before + 1);
      if (find) expect(value(await find(open(), instruction))).toMatchObject({ amount: { amountMinor: 7 } });
    });
  }

  test('a refund whose request was lost is not found, and can be sent again', async () => {
    const { instruction } = await buildRefund();
    const before = world().effects();
    breakRefund('reset-before-effect');
    expect(code(await refunds.refund(open(), instruction))).toBe('platform.outcome_unknown');
    if (find) expectNotFound(await find(open(), instruction));
    const refund = value(await refunds.refund(open(), instruction));
    expect(world().effects()).toBe(before + 1);
    if (find) expect(value(await find(open(), instruction))).toEqual(refund);
  });

  if (find) {
    test('a refund is found by its own reference only', async () => {
      const { instruction } = await buildRefund();
      value(await refunds.refund(open(), instruction));
      expectNotFound(await find(open(), { ...instruction, reference: `${instruction.reference}0` }));
    });
  }

  test('more than the remainder is refused with the store’s message, and nothing moves', async () => {
    const { order, payment } = await findRefundable();
    // Not by the smallest unit: some stores tolerate one, which is why the ledger keeps its own count.
    const tooMuch = payment.refundable.amountMinor * 2;
    const before = world().effects();
    const refused = await refunds.refund(
      open(),
      buildInstruction(order.externalId, payment.id, order.currency, tooMuch),
    );
    expect(code(refused)).toBe('refund.refused');
    expect(!refused.ok && refused.failure.platform?.name).toBe(platform.manifest.name);
    expect(world().effects()).toBe(before);
  });
}
