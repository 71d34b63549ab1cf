import { ok, quotePlatform, refuse, type Refunding, type RemoteRefund } from '@switchboard/domain';
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
      return refuse('platform.refused', 'Shopify does not say what this would come to.');
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
    if (!input) return refuse('refund.refused', 'Shopify shows no such order, or not this payment of it.');
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
    // Without a refund and without a word about it nobody knows.
    if (!refund || refund.transactions.pageInfo.hasNextPage) return unreadableResponse(manifest, 'write');
    const { nodes } = refund.transactions;
    // The reference stands in the note, and the amount is in the order's currency, or this is not the refund that was asked for.
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
      ? outcomeUnknown('Shopify refunded another payment than this.')
      : ok(readRefund(refund, nodes, currency));
  },

  async find(session, { orderExternalId, reference }) {
    const found = await requestGraphql(session, queries.moneyMoved, {
      id: globalId('Order', orderExternalId),
    });
    if (!found.ok) return found;
    const { order } = found.value;
    if (!order) return outcomeUnknown('Shopify does not show this order any more.');
    const { refunds, transactions, presentmentCurrencyCode: currency } = order;
    const ours: readonly RemoteRefund[] = refundsOf(refunds, transactions, currency).filter(
      (refund) => refund.reference === reference,
    );
    if (ours.length > 1) return outcomeUnknown('Shopify shows this refund more than once.');
    if (ours[0]) return ok(ours[0]);
    return refunds.length >= LIST_LIMITS.refunds
      ? outcomeUnknown('The order has more refunds than can be looked through.')
      : ok(null);
  },
};

const REFUSED = 'Shopify refused the refund. Its own words are quoted beside.';

const outcomeUnknown = (why: string) => refuse('platform.outcome_unknown', `${why} Look at the order there.`);

/**
 * A key that is in use, or was used for something else, belongs to a refund that may have been made. These errors have no
 * codes here: `UserError` has none, and their words are those of the mutations whose errors do. A refund with an error
 * beside it was made, whatever the error is about.
 */
function toRefundRefusal(message: string, isMade: boolean) {
  const platform = quotePlatform(manifest.name, message);
  return isMade || /currently in progress|idempotency key cannot be used/i.test(message)
    ? refuse('platform.outcome_unknown', 'Shopify knows this refund, and not what came of it.', { platform })
    : refuse('refund.refused', REFUSED, { platform });
}
