import {
  decimalsOf,
  formatAmount,
  money,
  ok,
  quotePlatform,
  refuse,
  type Result,
  type RemoteRefund,
  type PlatformResponse,
  type PlatformFailureCode,
  type RefundInstruction,
  type Refunding,
  type Session,
} from '@switchboard/platform-kit';
import { refusal, unreadableResponse, type PlatformError } from '@switchboard/platform-kit/platform-client';
import { formatReferenceMarker, parseReferenceMarker } from '@switchboard/platform-kit/reference-marker';
import { isDeclinedByProvider } from './declines.js';
import { findOrder } from './orders.js';
import { readOrder, readRefund } from './read-order.js';
import { API, refundsOf } from './read-refunds.js';
import { refundItems, type RefundItem } from './refund-items.js';
import {
  errorMapping,
  ids,
  PLACES,
  refund as refundAnswer,
  requestJson,
  shownTotal,
  type WireRefund,
} from './wire.js';

type RefundResult = Result<RemoteRefund, PlatformFailureCode | 'refund.refused' | 'refund.unclear'>;

export const refunding: Refunding = {
  async refund(session, instruction) {
    const items = await buildItems(session, instruction);
    if (!items.ok) return items;
    const small = await checkStoreDecimals(session, instruction);
    if (!small.ok) return small;
    const { orderExternalId, reference, reason, note, amountMinor, currency, payments, lines } = instruction;
    const sent = await session.request({
      method: 'POST',
      path: `${API}/orders/${encodeURIComponent(orderExternalId)}/refunds`,
      // As stored: a shop with fewer decimals would report another amount than it refunded.
      query: { dp: PLACES },
      json: {
        // A string, and always sent: a number is refused, and omitted it would be a refund of zero.
        amount: formatAmount(money(amountMinor, currency)),
        // Stored before the gateway is contacted, unlike metadata: every sent refund has our reference.
        reason: formatReferenceMarker(reference, reason),
        line_items: items.value,
        ...(note !== null && { meta_data: [{ key: 'switchboard_note', value: note }] }),
        // Omitted, both would be true.
        api_refund: payments.some(({ moneyMoved }) => moneyMoved),
        api_restock: lines.some(({ restock }) => restock),
      },
      effect: 'write',
      acceptsErrorStatuses: true,
    });
    if (!sent.ok) return sent;
    const response = sent.value;
    if (!response.ok) return resolveRefusal(session, instruction, response);
    const created = refundAnswer.safeParse(response.json).data;
    // A refund with another reference is another refund.
    return created && (parseReferenceMarker(created.reason).reference ?? reference) === reference
      ? ok(toSettledRefund(created, instruction))
      : unreadableResponse(errorMapping, 'write');
  },

  async find(session, instruction) {
    const listed = await refundsOf(session, instruction.orderExternalId);
    if (!listed.ok) return listed;
    const ours = listed.value.filter(
      ({ reason }) => parseReferenceMarker(reason).reference === instruction.reference,
    );
    const [made, ...others] = ours;
    if (others.length > 0) {
      return refuse(
        'platform.outcome_unknown',
        'The store has several refunds with this reference. Check the order there.',
      );
    }
    if (!made && listed.value.some(({ reason }) => typeof reason !== 'string')) {
      return refuse('platform.outcome_unknown', 'The store does not return the reasons of its refunds.');
    }
    return ok(made ? toSettledRefund(made, instruction) : null);
  },
};

/**
 * A store records the refund, contacts the gateway, and then notes that the money moved, or deletes the
 * refund again. A refund without that note is not settled.
 */
function toSettledRefund(
  wire: WireRefund,
  { currency, orderExternalId, payments }: RefundInstruction,
): RemoteRefund {
  const read = readRefund(wire, currency, orderExternalId);
  const settled = read.moneyMoved || !payments.some(({ moneyMoved }) => moneyMoved);
  return settled ? read : { ...read, status: 'pending' };
}

/** The code of every `wc_create_refund` error: only the message distinguishes them. */
const NOT_CREATED = 'woocommerce_rest_cannot_create_order_refund';

/** Errors of WooCommerce itself, before `wc_create_refund`. */
const PRE_GATEWAY_CODES = ['woocommerce_rest_invalid_order_id', 'woocommerce_rest_invalid_order_refund'];

/** The messages of `wc_create_refund` before the gateway is contacted, in English shops. */
const PRE_GATEWAY_MESSAGES = [
  'Invalid order ID.',
  'Invalid refund amount.',
  'The payment gateway for this order does not exist.',
  'The payment gateway for this order does not support automatic refunds.',
];

/**
 * Refused before the refund is processed: by WordPress itself, for the request's format or route, or by the
 * shop.
 */
const isRefusedBeforeGateway = (
  { code = '', message }: PlatformError,
  { status }: PlatformResponse,
): boolean =>
  (code.startsWith('rest_') && status >= 400 && status < 500 && status !== 408) ||
  PRE_GATEWAY_CODES.includes(code) ||
  (code === NOT_CREATED && PRE_GATEWAY_MESSAGES.includes(message));

/**
 * An error response of a store is not a proof: it returns 400 and 500 for refunds that it made. It lists most
 * of them, so they are looked up. But it deletes a refund after any error that follows the gateway's payment,
 * and after a gateway timeout: an empty list is a proof only if no gateway was contacted, or if the shop
 * repeats its payment provider's own refusal.
 */
async function resolveRefusal(
  session: Session,
  instruction: RefundInstruction,
  response: PlatformResponse,
): Promise<RefundResult> {
  const words = errorMapping.parseError(response);
  if (!words) return unreadableResponse(errorMapping, 'write');
  if (response.status === 401) return refuseReadOnlyKey(session, words);
  if (response.status === 403) return refusal(errorMapping, response, 'write');
  const platform = quotePlatform(errorMapping.name, words.message, words.code);
  const refused = refuse(
    'refund.refused',
    'The store refused the refund. See `platform` for its error message.',
    {
      platform,
    },
  );
  if (isRefusedBeforeGateway(words, response)) return refused;
  const found = await refunding.find?.(session, instruction);
  if (found?.ok && found.value) return ok(found.value);
  if (instruction.payments.some(({ moneyMoved }) => moneyMoved)) {
    // Only after the store listed no refund: a refund that the provider declined is not recorded either.
    if (found?.ok && (await isDeclined(session, instruction, words))) return refused;
    return refuse(
      'refund.unclear',
      'The store reports that it did not create the refund, but the money may have been sent. Check with the payment provider, then resolve the refund.',
      { platform },
    );
  }
  return found?.ok
    ? refused
    : refuse(
        'platform.outcome_unknown',
        'The store reports that it did not create the refund, and its list of refunds could not be read.',
        { platform },
      );
}

/** Whether the provider of the order's gateway declined; unknown if the order cannot be read. */
async function isDeclined(
  session: Session,
  { orderExternalId }: RefundInstruction,
  { code, message }: PlatformError,
): Promise<boolean> {
  if (code !== NOT_CREATED) return false;
  const order = await findOrder(session, orderExternalId);
  return order.ok && order.value !== null && isDeclinedByProvider(order.value.payment_method, message);
}

/** A 401 is returned for invalid keys and for read-only ones. These may read. */
async function refuseReadOnlyKey(session: Session, words: PlatformError): Promise<RefundResult> {
  const read = await requestJson(
    session,
    { path: `${API}/orders`, query: { per_page: 1, _fields: 'id' } },
    ids,
  );
  if (!read.ok) return read;
  return refuse(
    'platform.permission_missing',
    'The API keys are read-only. Reconnect with read/write keys.',
    { platform: quotePlatform(errorMapping.name, words.message, words.code) },
  );
}

async function buildItems(
  session: Session,
  instruction: RefundInstruction,
): Promise<Result<readonly RefundItem[], PlatformFailureCode | 'refund.refused'>> {
  if (instruction.lines.length === 0 && instruction.shippingMinor === 0) return ok([]);
  const { orderExternalId } = instruction;
  const [found, made] = await Promise.all([
    findOrder(session, orderExternalId),
    refundsOf(session, orderExternalId),
  ]);
  if (!found.ok) return found;
  if (!made.ok) return made;
  if (found.value === null) return refuse('refund.refused', 'The store no longer has this order.');
  const order = readOrder(found.value, made.value, new Set(), session.baseUrl);
  return ok(refundItems(found.value, order, instruction));
}

/**
 * A store with fewer decimals than the currency would round the amount, and refund another one than
 * requested.
 */
async function checkStoreDecimals(
  session: Session,
  { orderExternalId, amountMinor, currency }: RefundInstruction,
): Promise<Result<undefined, PlatformFailureCode | 'refund.refused'>> {
  const decimals = decimalsOf(currency);
  if (amountMinor % 10 ** decimals === 0) return ok();
  const shown = await requestJson(
    session,
    {
      path: `${API}/orders/${encodeURIComponent(orderExternalId)}`,
      // Without a requested number of decimals, it uses its own.
      query: { _fields: 'total' },
    },
    shownTotal,
    // The store itself refuses an unknown order, with its own message.
    ({ code }) =>
      code === 'woocommerce_rest_shop_order_invalid_id' || code === 'rest_no_route' ? ok(null) : undefined,
  );
  if (!shown.ok) return shown;
  if (shown.value === null) return ok();
  const stored = shown.value.total.split('.')[1]?.length ?? 0;
  return amountMinor % 10 ** Math.max(0, decimals - stored) === 0
    ? ok()
    : refuse(
        'refund.refused',
        `The store rounds to ${stored} decimals, which is fewer than ${currency} has, and would refund a different amount.`,
      );
}
