/**
 * The messages of a gateway's plugin that prove a decline by the payment provider itself. The plugin's
 * `process_refund` builds the message from the provider's own error response, and sends one request without
 * repetition: the message proves that the provider answered this request with a refusal. A plugin that timed
 * out, and errors after the gateway has paid, have other messages. Excluded are messages that an earlier
 * payment of the same refund would also cause ("has already been refunded", "greater than unrefunded
 * amount").
 *
 * Stripe: WooCommerce Stripe Gateway, `includes/abstracts/abstract-wc-stripe-payment-gateway.php`
 * (`process_refund`) and `includes/class-wc-stripe-api.php` (`request`) at `0062194`; the messages are those
 * of Stripe's `charge_disputed` and insufficient balance, both HTTP 400. Only in shops with English as their
 * language.
 */
const STRIPE_DECLINES =
  /^There was a problem initiating a refund: (?:Charge ch_\w+ has been charged back; cannot issue a refund\.|Insufficient funds in your Stripe balance to refund this amount\.)$/;

/**
 * WooPayments: `includes/class-wc-payment-gateway-wcpay.php` (`process_refund`) at `9b6d741`, in English;
 * read 2026-11-23. These messages are returned before it sends a refund request. Responses of its server are
 * excluded: its client repeats requests (`API_RETRIES_LIMIT` in `class-wc-payments-api-client.php`).
 */
const WOOPAYMENTS: readonly RegExp[] = [
  /^This payment is not captured yet\. To cancel this order, please go to 'Order Actions' > 'Cancel [Aa]uthorization'\. To proceed with a refund, please go to 'Order Actions' > 'Capture charge' to charge the payment card, and then trigger a refund via the 'Refund' button\.$/,
  /^The refund amount is not valid\.$/,
  /^You shall refund this payment in the same application where the payment was made\.$/,
];

const DECLINES: Readonly<Record<string, readonly RegExp[]>> = {
  stripe: [STRIPE_DECLINES],
  woocommerce_payments: WOOPAYMENTS,
};

/**
 * Whether this message of a shop proves that this gateway's payment provider declined, or received no
 * request.
 */
export const isDeclinedByProvider = (gateway: string, message: string): boolean =>
  Object.entries(DECLINES).some(
    ([id, sentences]) =>
      (gateway === id || gateway.startsWith(`${id}_`)) &&
      sentences.some((sentence) => sentence.test(message)),
  );
