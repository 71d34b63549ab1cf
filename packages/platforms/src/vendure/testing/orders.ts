export interface VendureRefund {
  readonly id: string;
  readonly total: number;
  readonly state: 'Settled' | 'Pending' | 'Failed';
  readonly reason: string | null;
  readonly paymentId: string;
  readonly createdAt: string;
}

export type VendureOrder = ReturnType<typeof seededOrder>;

/**
 * Orders of every kind, a day apart, as the real server returns them. The last is a cart, which is not
 * requested.
 */
export const seededOrders = (count: number): VendureOrder[] =>
  Array.from({ length: count }, (_, index) => seededOrder(index, index < count - 1));

const STATES = ['PaymentSettled', 'PaymentSettled', 'Delivered', 'PaymentAuthorized', 'Shipped', 'Cancelled'];

function seededOrder(index: number, placed: boolean) {
  const at = new Date(Date.parse('2026-10-01T08:00:00.000Z') + index * 86_400_000).toISOString();
  const state = STATES[index % STATES.length] ?? 'PaymentSettled';
  const goods = 2100 + index;
  const total = goods + 499;
  const paid = state !== 'PaymentAuthorized' && state !== 'Cancelled';
  return {
    id: String(index + 1),
    code: `CODE${index}`,
    state,
    orderPlacedAt: placed ? at : null,
    updatedAt: at,
    currencyCode: index % 4 === 3 ? 'EUR' : 'USD',
    shipping: 499,
    total,
    totalWithTax: total,
    customer: {
      id: String(index),
      firstName: 'A',
      lastName: `B${index}`,
      emailAddress: `buyer${index}@example.test`,
    },
    shippingAddress: { fullName: null, streetLine1: '1 St', city: 'NYC', countryCode: 'US' },
    lines: [
      {
        id: String(index),
        quantity: 2,
        orderPlacedQuantity: 2,
        unitPriceWithTax: goods / 2,
        proratedLinePriceWithTax: goods,
        productVariant: { sku: 'W1', name: 'Widget' },
      },
    ],
    shippingLines: [{ id: String(index), discountedPriceWithTax: 499, shippingMethod: { name: 'Flat' } }],
    discounts: [],
    payments: [
      {
        id: `p${index}`,
        method: 'testcard',
        state: paid ? 'Settled' : 'Authorized',
        amount: total,
        refunds: [] as VendureRefund[],
      },
    ],
  };
}
