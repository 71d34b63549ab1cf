import { canonicalJson } from '../canonical-json.js';
import type { Delivery } from '../deliveries/delivery.js';
import type { Tokens } from '../ports/tokens.js';
import type { Refund } from '../refunds/refund.js';

/**
 * The digest of everything that a delivery publishes: account, texts, media, options, and its time. Media is
 * identified by its id: the bytes of media that is ready never change.
 */
export const deliveryDigest = (tokens: Pick<Tokens, 'digestHex'>, delivery: Delivery): string =>
  tokens.digestHex(
    canonicalJson({
      connectionId: delivery.connectionId,
      platform: delivery.platform,
      accountId: delivery.account.id,
      options: delivery.options,
      scheduledAt: delivery.scheduledAt,
      notAfter: delivery.notAfter,
      parts: delivery.parts.map(({ kind, title, text, link, media }) => ({ kind, title, text, link, media })),
    }),
  );

/** The digest of everything that a refund does, and of the order that it belongs to. */
export const refundDigest = (tokens: Pick<Tokens, 'digestHex'>, refund: Refund): string =>
  tokens.digestHex(
    canonicalJson({
      connectionId: refund.connectionId,
      platform: refund.platform,
      accountServer: refund.accountServer,
      remoteAccountId: refund.remoteAccountId,
      orderExternalId: refund.orderExternalId,
      amount: refund.amount,
      extent: refund.extent,
      payments: refund.payments,
      restock: refund.restock,
      reason: refund.reason,
      note: refund.note,
      notifyCustomer: refund.notifyCustomer,
    }),
  );
