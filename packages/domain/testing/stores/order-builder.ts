import { money } from '../../src/money.js';
import type { RemoteOrder } from '../../src/orders/order.js';

/**
 * A paid, unfulfilled order of three mugs at 10.00 and a poster at 15.00, with shipping of 4.90, by one card.
 */
export function remoteOrder(over: Partial<RemoteOrder> = {}, currency = 'EUR'): RemoteOrder {
  const at = over.createdAt ?? new Date('2026-03-01T10:00:00Z');
  const of = (amountMinor: number) => money(amountMinor, currency);
  return {
    externalId: 'so_1',
    number: '1001',
    status: 'open',
    paymentStatus: 'paid',
    fulfillmentStatus: 'unfulfilled',
    rawStatus: 'open',
    currency,
    pricesIncludeTax: true,
    totals: {
      discount: of(0),
      shipping: of(490),
      tax: of(0),
      total: of(4990),
      captured: of(4990),
      refunded: of(0),
      refundable: of(4990),
    },
    customer: { id: 'cus_1', name: 'Ana Ruiz', email: 'ana.ruiz@example.com' },
    emails: ['ana.ruiz@example.com', 'billing@example.com'],
    lines: [
      {
        id: 'mug',
        sku: 'M-1',
        title: 'Mug',
        quantity: 3,
        refundableQuantity: 3,
        unitPrice: of(1000),
        total: of(3000),
      },
      {
        id: 'poster',
        sku: null,
        title: 'Poster',
        quantity: 1,
        refundableQuantity: 1,
        unitPrice: of(1500),
        total: of(1500),
      },
    ],
    shippingLines: [{ id: 'post', title: 'Post', total: of(490), refundable: of(490) }],
    shippingAddress: {
      name: 'Ana Ruiz',
      line1: 'Calle Mayor 1',
      line2: null,
      city: 'Madrid',
      region: 'Madrid',
      postalCode: '28013',
      country: 'ES',
    },
    payments: [payment('card', 4990, currency)],
    refunds: [],
    shipments: [],
    note: null,
    createdAt: at,
    updatedAt: at,
    url: null,
    ...over,
  };
}

export const payment = (id: string, capturedMinor: number, currency = 'EUR', refundableOnline = true) => ({
  id,
  gateway: refundableOnline ? 'sandpay' : 'bank_transfer',
  method: null,
  captured: money(capturedMinor, currency),
  refunded: money(0, currency),
  refundable: money(capturedMinor, currency),
  refundableOnline,
});
