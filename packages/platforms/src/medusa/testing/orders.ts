export interface MedusaRefund {
  readonly id: string;
  readonly amount: number;
  readonly note: string | null;
  readonly payment_id: string;
  readonly created_at: string;
}

export interface MedusaPayment {
  readonly id: string;
  readonly order_id: string;
  readonly provider_id: string;
  readonly amount: number;
  readonly captures: readonly { readonly amount: number }[];
  readonly refunds: MedusaRefund[];
}

export type MedusaOrder = ReturnType<typeof seededOrder>;

/**
 * Orders of every kind, a day apart, each with the fields that the real server returns and an adapter reads.
 */
export const seededOrders = (count: number): MedusaOrder[] =>
  Array.from({ length: count }, (_, index) => seededOrder(index));

function seededOrder(index: number) {
  const at = new Date(Date.parse('2026-10-01T08:00:00.000Z') + index * 86_400_000).toISOString();
  const id = `order_${String(index).padStart(3, '0')}`;
  const [goods, shipping] = [21 + index, 4.99];
  // Added as the real server adds: 25.990000000000002.
  const total = goods + shipping;
  const paid = index % 5 !== 4;
  const payment: MedusaPayment = {
    id: `pay_${index}`,
    order_id: id,
    provider_id: index % 7 === 3 ? 'pp_system_default' : 'pp_stripe_stripe',
    amount: total,
    captures: paid ? [{ amount: total }] : [],
    refunds: [],
  };
  return {
    id,
    display_id: index + 1,
    status: index % 6 === 5 ? 'completed' : 'pending',
    payment_status: paid ? 'captured' : 'not_paid',
    fulfillment_status: index % 3 === 0 ? 'fulfilled' : 'not_fulfilled',
    currency_code: index % 4 === 3 ? 'eur' : 'usd',
    email: `buyer${index}@example.test`,
    original_total: total,
    original_item_subtotal: goods,
    original_shipping_total: shipping,
    original_tax_total: 0,
    discount_total: 0,
    items: [
      {
        id: `ordli_${index}`,
        title: `Widget ${index}`,
        variant_sku: null,
        quantity: 1,
        unit_price: goods,
        is_tax_inclusive: index % 2 === 1,
        total: goods,
        detail: { return_received_quantity: 0 },
      },
    ],
    shipping_methods: [{ id: `ordsm_${index}`, name: 'Flat', total: shipping }],
    customer: { id: `cus_${index}`, first_name: null, last_name: null, email: `buyer${index}@example.test` },
    shipping_address: { first_name: 'A', last_name: `B${index}`, address_1: '1 St', country_code: 'us' },
    billing_address: null,
    payment_collections: [{ payments: [payment] }],
    created_at: at,
    updated_at: at,
  };
}
