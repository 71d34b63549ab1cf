import { ok, quotePlatform, refuse } from '@switchboard/domain';
import type { RemoteRefund } from '@switchboard/domain/orders';
import type { Refunding } from '@switchboard/domain/ports';
import { unreadableResponse } from '../kit/platform-client.js';
import { mapFailureBeforeSend } from '../kit/map-failure-before-send.js';
import { moneyOf } from '../kit/decimal.js';
import { parseReferenceMarker } from '../kit/reference-marker.js';
import { requestGraphql } from './client.js';
import { LIST_LIMITS } from './documents.js';
import { globalId } from './ids.js';
import { manifest } from './manifest.js';
import { readRefund, refundsOf } from './read-refund.js';
import { toLineInputs, refundInput } from './refund-input.js';
import { remainingShipping } from './remaining-shipping.js';
import { queries } from './wire.js';

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
