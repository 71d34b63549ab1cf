/** An order as the store returns it. */
export const createOrder = (at: number) => ({
  id: `order_${at}`,
  number: String(1000 + at),
  status: 'open',
  payment_status: 'paid',
  fulfillment_status: 'unfulfilled',
  currency: 'EUR',
  tax_included: true,
  shipping: 490,
  tax: 1_200,
  total: 6_490,
  email: `customer${at}@example.com`,
  lines: [{ id: `line_${at}`, title: 'A pot', quantity: 2, unit_price: 3_000 }],
  payments: [{ id: `pay_${at}`, gateway: 'card', captured: 6_490, refunded: 0 }],
  refunds: [] as object[],
  created_at: new Date(Date.UTC(2026, 10, 1, 0, at)).toISOString(),
  updated_at: new Date(Date.UTC(2026, 10, 2, 0, at)).toISOString(),
});
