import { ok, type Session, type RefundPayment } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { moneyOf } from '@switchboard/platform-kit/decimal';
import { paymentIdOf } from './read-payments.js';
import type { RefundItem } from './refund-items.js';
import { actionsPath } from './stored-order.js';
import { quoteResponse, requestJson, type WireQuote } from './wire.js';

export interface RefundQuote {
  readonly items: readonly RefundItem[];
  readonly amountMinor: number;
  readonly methods: WireQuote['refund_methods'];
}

/** Requests the store's total for some items. It is a POST without side effects. */
export async function quoteItems(
  session: Session,
  { orderExternalId, currency }: { readonly orderExternalId: string; readonly currency: string },
  items: readonly RefundItem[],
): AdapterResult<RefundQuote> {
  const quoted = await requestJson(
    session,
    {
      method: 'POST',
      path: `${actionsPath(orderExternalId)}/refund_quotes`,
      json: { items },
      effect: 'read',
    },
    quoteResponse,
  );
  if (!quoted.ok) return quoted;
  const { total_refund_amount: total, refund_methods: methods } = quoted.value.data;
  return ok({ items, amountMinor: moneyOf(total, currency).amountMinor, methods });
}

/** A payment as a refund names it. */
interface ChosenPayment {
  readonly provider_id: string;
  readonly amount: number;
  readonly offline: boolean;
}

/**
 * The offered method that refunds exactly these payments as they were made: store credit only for what was
 * paid with it, and no offline refund where money has to move. Null if there is none.
 */
export function chooseMethod(
  { methods }: RefundQuote,
  payments: readonly RefundPayment[],
  currency: string,
): readonly ChosenPayment[] | null {
  const minor = (amount: string) => moneyOf(amount, currency).amountMinor;
  const matching = methods.filter(
    (options) =>
      options.length === payments.length &&
      payments.every(({ id, amountMinor, moneyMoved }) =>
        options.some(
          (option) =>
            paymentIdOf(option.provider_id) === id &&
            minor(option.amount) === amountMinor &&
            option.offline === !moneyMoved,
        ),
      ),
  );
  // "custom" is money returned outside the store: used only if the payment's own method is not offered.
  const own = matching.find((options) => options.every(({ provider_id: id }) => id !== 'custom'));
  const chosen = own ?? matching[0];
  return (
    chosen?.map(({ provider_id, amount, offline }) => ({ provider_id, amount: Number(amount), offline })) ??
    null
  );
}

/** Why the store would not send the requested amount; null if that is not the reason. */
export const offlineReason = ({ methods }: RefundQuote): string | null =>
  methods.flat().find(({ provider_id: id, offline }) => offline && id !== 'custom')?.offline_reason ?? null;
