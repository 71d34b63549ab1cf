import {
  observedExchange,
  squareError,
  squareStore,
  SQUARE_PERMISSIONS,
  type ObservedExchange,
  type SquareOptions,
} from '@switchboard/simulators';
import { bearerLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { hmacOf } from '@switchboard/platform-kit/testing/hmac-of';

/** A merchant as Square's published description defines one. */
export async function startWorld(options: SquareOptions = {}) {
  const store = squareStore({ now: tickingClock(), ...options });
  const world = await startSimulator({
    account: { id: 'MLKILN0001', username: null, name: null, avatarUrl: null, url: null },
    simulator: store,
    owner: SQUARE_PERMISSIONS,
    weakOwner: ['MERCHANT_PROFILE_READ'],
    expiredTokenResponse: squareError(401, 'ACCESS_TOKEN_EXPIRED', 'The request could not be authorized.'),
    effects: () => store.refunds.createdCount(),
    textOf: () => '',
  });
  return {
    ...world,
    // Read on 2026-11-23, https://developer.squareup.com/docs/build-basics/using-rest-api: `Authorization:
    // Bearer <token>`.
    keyLocations: { access_token: bearerLocation },
    // Optional in the description: a payment without refunds, another client's refund without a reason, a
    // return without a total.
    omittedFields: ['payment.refund_ids', 'refund.reason', 'orders.*.returns', 'order.total_money'],
    // Tips.
    adjustments: { ORDER0011: 300, ORDER0023: 300, ORDER0035: 300, ORDER0047: 300 },
    refundTarget: { orderId: 'ORDER0000', paymentId: 'PAY0x0', currency: 'USD' },
    /** The payment that the contract refunds repeatedly, and every refund of it. */
    get readsBeforeRefund() {
      const refunded = store.refunds.all().findLast(({ reason = '' }) => reason.startsWith('['));
      return 1 + (store.books.payments.get(refunded?.payment_id ?? '')?.refund_ids ?? []).length;
    },
    store,
    webhooks: {
      ...store.webhooks,
      sign: (url, body, secret) => ({
        secret,
        delivery: { url, headers: { 'x-square-hmacsha256-signature': hmacOf(secret, url + body) } },
      }),
    },
    /** The requests with their versions, and the responses, oldest first. */
    exchanges: (): readonly (ObservedExchange & { readonly version: unknown })[] =>
      world
        .exchanges()
        .map((one) => ({ ...observedExchange(one), version: one.request.headers['square-version'] })),
  } satisfies ExtendedWorld;
}
