import {
  ok,
  quotePlatform,
  refuse,
  formatAmount,
  money,
  type RemoteRefund,
  type Refunding,
  type RefundInstruction,
  type RefundLine,
} from '@switchboard/platform-kit';
import { unreadableResponse } from '@switchboard/platform-kit/platform-client';
import { mapFailureBeforeSend } from '@switchboard/platform-kit/map-failure-before-send';
import { moneyOf } from '@switchboard/platform-kit/decimal';
import { parseReferenceMarker, formatReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import { requestGraphql } from './client.js';
import { LIST_LIMITS } from './documents.js';
import { globalId } from './ids.js';
import { manifest } from './manifest.js';
import { readRefund, refundsOf } from './read-refund.js';
import { queries, type BeforeRefund, type SuggestedShipping } from './wire.js';

export const refunding: Refunding = {
  async calculate(session, order, { lines, shippingMinor }) {
    const { currency, externalId } = order;
    const [hasLines, hasShipping] = [lines.length > 0, shippingMinor > 0];
    const variables = {
      id: globalId('Order', externalId),
      lines: toLineInputs(lines),
      hasLines,
      hasShipping,
    };
    const found = await requestGraphql(session, queries.suggestion, variables);
    if (!found.ok) return found;
    const { ofLines, ofShipping, taxesIncluded = false } = found.value.order ?? {};
    if ((hasLines && !ofLines) || (hasShipping && !ofShipping)) {
      return refuse('platform.refused', 'Shopify did not quote the amount.');
    }
    const remaining = ofShipping
      ? remainingShipping(ofShipping.shipping, taxesIncluded, currency).wholeMinor
      : 0;
    return ok({
      linesMinor: ofLines ? moneyOf(ofLines.amountSet, currency).amountMinor : 0,
      shippingMinor: Math.min(shippingMinor, remaining),
    });
  },

  async refund(session, instruction) {
    const { orderExternalId, currency, reference, lines } = instruction;
    const id = globalId('Order', orderExternalId);
    const looked = await requestGraphql(session, queries.beforeRefund, { id, lines: toLineInputs(lines) });
    if (!looked.ok) return mapFailureBeforeSend(manifest, looked);
    const input = looked.value.order && refundInput(instruction, looked.value.order);
    if (!input) return refuse('refund.refused', 'Shopify does not return this order, or this payment of it.');
    const response = await requestGraphql(
      session,
      queries.refund,
      { input, key: reference },
      { effect: 'write' },
    );
    if (!response.ok) {
      const { failure } = response;
      return failure.code === 'platform.refused' ? refuse('refund.refused', REFUSED, failure) : response;
    }
    const { refund, userErrors } = response.value.refundCreate;
    const [error] = userErrors;
    if (error) return toRefundRefusal(error.message, refund !== null);
    // Without a refund and without an error the outcome is unknown.
    if (!refund || refund.transactions.pageInfo.hasNextPage) return unreadableResponse(manifest, 'write');
    const { nodes } = refund.transactions;
    // The refund is the requested one only if its note contains the reference and its amount is in the
    // order's currency.
    if (
      (parseReferenceMarker(refund.note).reference ?? reference) !== reference ||
      nodes.some((one) => one.currency !== currency)
    ) {
      return unreadableResponse(manifest, 'write');
    }
    const isOther = nodes.some(
      ({ parentTransaction: parent }) =>
        parent && !instruction.payments.some(({ id: own }) => own === parent.id),
    );
    return isOther
      ? outcomeUnknown('Shopify refunded a different payment.')
      : ok(readRefund(refund, nodes, currency));
  },

  async find(session, { orderExternalId, reference }) {
    const found = await requestGraphql(session, queries.moneyMoved, {
      id: globalId('Order', orderExternalId),
    });
    if (!found.ok) return found;
    const { order } = found.value;
    if (!order) return outcomeUnknown('Shopify no longer returns this order.');
    const { refunds, transactions, presentmentCurrencyCode: currency } = order;
    const ours: readonly RemoteRefund[] = refundsOf(refunds, transactions, currency).filter(
      (refund) => refund.reference === reference,
    );
    if (ours.length > 1) return outcomeUnknown('Shopify has several refunds with this reference.');
    if (ours[0]) return ok(ours[0]);
    return refunds.length >= LIST_LIMITS.refunds
      ? outcomeUnknown('The order has too many refunds to search all of them.')
      : ok(null);
  },
};

const REFUSED = 'Shopify refused the refund. See `platform` for its error message.';

const outcomeUnknown = (reason: string) =>
  refuse('platform.outcome_unknown', `${reason} Check the order there.`);

/**
 * A key that is in use, or was used for something else, belongs to a refund that may have been made. These
 * errors have no codes here: `UserError` has none, and their messages are those of the mutations whose errors
 * do. A refund accompanied by an error was made, whatever the error concerns.
 */
function toRefundRefusal(message: string, isMade: boolean) {
  const platform = quotePlatform(manifest.name, message);
  return isMade || /currently in progress|idempotency key cannot be used/i.test(message)
    ? refuse(
        'platform.outcome_unknown',
        'Shopify has received this refund but does not report its outcome.',
        { platform },
      )
    : refuse('refund.refused', REFUSED, { platform });
}

/**
 * `RefundInput` of the Admin schema. Exactly `amountMinor` is sent, by payment; the lines and the shipping
 * describe its purpose. Shopify records a difference between the two itself. Null if the order does not have
 * that payment.
 */
function refundInput(instruction: RefundInstruction, before: BeforeRefund) {
  const { reference, reason, note, currency, notifyCustomer } = instruction;
  const orderId = globalId('Order', instruction.orderExternalId);
  const shipping = shippingOf(instruction, before);
  const transactions = instruction.payments.flatMap(({ id, amountMinor }) => {
    const gateway = before.transactions.find((one) => one.id === id)?.gateway;
    const amount = formatAmount(money(amountMinor, currency));
    const parentId = globalId('OrderTransaction', id);
    return typeof gateway === 'string' ? [{ orderId, kind: 'REFUND', parentId, gateway, amount }] : [];
  });
  if (transactions.length < instruction.payments.length) return null;
  return {
    orderId,
    currency,
    note: formatReferenceMarker(reference, reason, note),
    ...(notifyCustomer !== null && { notify: notifyCustomer }),
    refundLineItems: instruction.lines.flatMap((line) => linesOf(line, before)),
    ...(shipping && { shipping }),
    transactions,
  };
}

/** The format of the lines for a quote. */
const toLineInputs = (lines: readonly RefundLine[]) =>
  lines.map(({ id, quantity }) => ({ lineItemId: globalId('LineItem', id), quantity }));

/** Unshipped units are cancelled, shipped ones returned: one line may have both. */
function linesOf({ id, quantity, restock, locationId }: RefundLine, before: BeforeRefund) {
  const lineItemId = globalId('LineItem', id);
  if (!restock) return [{ lineItemId, quantity, restockType: 'NO_RESTOCK' }];
  const suggested = before.suggestedRefund?.refundLineItems.find(({ lineItem }) => lineItem.id === id);
  const cancelled = Math.min(quantity, suggested?.lineItem.unfulfilledQuantity ?? 0);
  const place = locationId ?? suggested?.location?.id;
  const at = place === undefined ? {} : { locationId: globalId('Location', place) };
  return [
    { lineItemId, quantity: cancelled, restockType: 'CANCEL', ...at },
    { lineItemId, quantity: quantity - cancelled, restockType: 'RETURN', ...at },
  ].filter((part) => part.quantity > 0);
}

/**
 * Shopify expects the shipping fee and adds the tax if prices exclude it. The requested amount includes tax,
 * so a part is split in the proportion of the whole.
 */
function shippingOf({ kind, shippingMinor, currency }: RefundInstruction, before: BeforeRefund) {
  if (shippingMinor === 0) return null;
  if (kind === 'full') return { fullRefund: true };
  const suggested = before.suggestedRefund?.shipping;
  const remaining = suggested && remainingShipping(suggested, before.taxesIncluded, currency);
  // Nothing remains: Shopify refuses it.
  if (!remaining || remaining.wholeMinor === 0)
    return { amount: formatAmount(money(shippingMinor, currency)) };
  const { feeMinor, wholeMinor } = remaining;
  if (shippingMinor >= wholeMinor) return { fullRefund: true };
  const amountMinor = Math.round((shippingMinor * feeMinor) / wholeMinor);
  return { amount: formatAmount(money(amountMinor, currency)) };
}

/** Shopify's remaining shipping: the fee, and the tax that is added if prices exclude it. */
function remainingShipping(
  { amountSet, taxSet }: SuggestedShipping,
  taxesIncluded: boolean,
  currency: string,
): { readonly feeMinor: number; readonly wholeMinor: number } {
  const feeMinor = moneyOf(amountSet, currency).amountMinor;
  const taxMinor = taxesIncluded ? 0 : moneyOf(taxSet, currency).amountMinor;
  return { feeMinor, wholeMinor: feeMinor + taxMinor };
}
