/**
 * What a gateway's plug-in says when the payment provider itself declined the refund. The sentence is made in the plug-in's
 * `process_refund`, which sends one request and does not repeat it, out of the provider's own error response: it proves that
 * the provider answered this request with a refusal. A plug-in that gave up waiting, and anything that throws after the gateway
 * has paid, say something else. Left out are sentences that an earlier payment of the same refund would also bring about
 * ("has already been refunded", "greater than unrefunded amount").
 *
 * Stripe: WooCommerce Stripe Gateway, `includes/abstracts/abstract-wc-stripe-payment-gateway.php` (`process_refund`) and
 * `includes/class-wc-stripe-api.php` (`request`) at `0062194`; the sentences are those of Stripe's `charge_disputed` and
 * insufficient balance, both HTTP 400. In a shop that speaks English only.
 */
const STRIPE =
  /^There was a problem initiating a refund: (?:Charge ch_\w+ has been charged back; cannot issue a refund\.|Insufficient funds in your Stripe balance to refund this amount\.)$/;

/** Whether these words of a shop prove that the payment provider behind this gateway declined. */
export const isDeclinedByProvider = (gateway: string, message: string): boolean =>
  (gateway === 'stripe' || gateway.startsWith('stripe_')) && STRIPE.test(message);
