import { paymentStatuses, type Order } from '@switchboard/domain/orders';
import { z } from 'zod';
import { truncateText } from '../truncate-text.js';
import { components, moneyMovedShape, moneyShape, time } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';

export const orderStatus = z.enum(['open', 'completed', 'cancelled']);
export const paymentStatus = z.enum(paymentStatuses).register(components, { id: 'PaymentStatus' });
export const fulfillmentStatus = z.enum(['unfulfilled', 'partial', 'fulfilled', 'returned']);

const addressShape = z.object({
  name: z.string().nullable(),
  line1: z.string().nullable(),
  line2: z.string().nullable(),
  city: z.string().nullable(),
  region: z.string().nullable(),
  postal_code: z.string().nullable(),
  country: z.string().nullable(),
});
addressShape.register(components, { id: 'Address' });

export const orderShape = z.object({
  id: z.string(),
  connection_id: z.string(),
  platform: z.string(),
  external_id: z.string(),
  number: z.string(),
  status: orderStatus,
  payment_status: paymentStatus,
  fulfillment_status: fulfillmentStatus,
  raw_status: z.string(),
  currency: z.string(),
  prices_include_tax: z
    .boolean()
    .nullable()
    .describe('Whether the prices in the store include tax; null where the store does not state it.'),
  totals: z
    .object({
      subtotal: moneyShape,
      discount: moneyShape,
      shipping: moneyShape,
      adjustments: moneyShape,
      tax: moneyShape,
      total: moneyShape,
      refunded: moneyShape,
      refundable: moneyShape,
    })
    .describe(
      'With tax. subtotal − discount is the sum of line_items, shipping of shipping_lines, and with adjustments (fees, tips, wrapping, rounding; negative: credit) they are total. tax is contained.',
    ),
  customer: z.object({
    id: z.string().nullable(),
    name: z.string().nullable(),
    email: z.string().nullable(),
  }),
  line_items: z.array(
    z.object({
      id: z.string(),
      sku: z.string().nullable(),
      title: z.string(),
      quantity: z.int(),
      refundable_quantity: z.int(),
      unit_price: moneyShape,
      total: moneyShape,
    }),
  ),
  shipping_lines: z.array(z.object({ id: z.string(), title: z.string(), total: moneyShape })),
  shipping_address: addressShape.nullable(),
  payments: z.array(
    z.object({
      id: z.string(),
      gateway: z.string(),
      method: z.string().nullable(),
      captured: moneyShape,
      refunded: moneyShape,
      refundable: moneyShape,
      refundable_online: z.boolean(),
    }),
  ),
  refunds: z.array(
    z.object({
      refund_id: z.string().nullable().describe('Of a refund that was made through this service.'),
      external_id: z.string(),
      status: z.enum(['pending', 'succeeded', 'failed']),
      amount: moneyShape,
      reason: z.string().nullable(),
      money_moved: moneyMovedShape,
      created_at: time,
    }),
  ),
  shipments: z
    .array(
      z.object({
        id: z.string(),
        status: z.enum(['pending', 'shipped', 'delivered', 'cancelled', 'failed']),
        carrier: z.string().nullable(),
        tracking_number: z.string().nullable(),
        tracking_url: z.string().nullable(),
        line_items: z.array(z.object({ id: z.string(), quantity: z.int() })),
        created_at: time.nullable(),
      }),
    )
    .nullable()
    .describe('Null: not reported, or only for a single order.'),
  note: z.string().nullable(),
  created_at: time,
  updated_at: time,
  url: z.string().nullable(),
});
orderShape.register(components, { id: 'Order' });

export const orderUntrustedFields = 'Notes, names and titles';

/** Stores do not limit the length of the names of people and products. */
const NAME_CHARACTERS = 30;
const truncateName = (name: string) => truncateText(name, NAME_CHARACTERS);
const formatMoney = ({ amount, currency }: z.output<typeof moneyShape>) => `${amount} ${currency}`;

/**
 * Enough of an order to choose one, and to see what can be refunded; the id contains the connection. What is
 * empty or as usual is left out: `refundable` is the total unless it is present.
 */
export const compactOrder = ({ totals, customer, ...order }: z.output<typeof orderShape>) => ({
  id: order.id,
  number: truncateName(order.number),
  created_at: order.created_at.replace(/:\d\d\.\d+Z$/, 'Z'),
  ...(order.status === 'cancelled' && { status: order.status }),
  payment_status: order.payment_status,
  fulfillment_status: order.fulfillment_status,
  total: formatMoney(totals.total),
  ...(totals.refundable.amount !== totals.total.amount && { refundable: formatMoney(totals.refundable) }),
  ...(customer.name !== null && { customer: truncateName(customer.name) }),
  items: describeItems(order.line_items),
});

/** "2 × Stoneware mug, +3": the first item, and how many other lines there are. */
function describeItems([first, ...others]: z.output<typeof orderShape>['line_items']): string {
  if (!first) return '';
  const quantity = first.quantity === 1 ? '' : `${first.quantity} × `;
  const rest = others.length > 0 ? `, +${others.length}` : '';
  return `${quantity}${truncateName(first.title)}${rest}`;
}

export const presentOrder = ({ order, ...rest }: Order): z.input<typeof orderShape> => {
  const { lines, refunds, ...fields } = order;
  return {
    ...toWireFormat({ ...rest, ...fields, lineItems: lines }),
    refunds: refunds.map(({ own, ...refund }) =>
      toWireFormat({
        ...refund,
        // Another connection of the same store may belong to a profile that the caller does not reach.
        refundId: own?.connectionId === rest.connectionId ? own.id : null,
        moneyMoved: refund.status === 'pending' ? null : refund.moneyMoved,
      }),
    ),
  };
};

const euros = (amount: string) => ({ amount, currency: 'EUR' });

export const exampleOrder: z.input<typeof orderShape> = {
  id: 'ord_AWNvbl8wMWthaDN2NXc4ZTJtNnI5dDB4NHk3ejFhYi9zb185ZjJr',
  connection_id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab',
  platform: 'sandbox_store',
  external_id: 'so_9f2k',
  number: '1042',
  status: 'open',
  payment_status: 'paid',
  fulfillment_status: 'unfulfilled',
  raw_status: 'open',
  currency: 'EUR',
  prices_include_tax: false,
  totals: {
    subtotal: euros('59.48'),
    discount: euros('5.00'),
    shipping: euros('4.90'),
    adjustments: euros('0.00'),
    tax: euros('9.48'),
    total: euros('59.38'),
    refunded: euros('0.00'),
    refundable: euros('59.38'),
  },
  customer: { id: 'cus_1', name: 'Ana Ruiz', email: 'ana.ruiz@example.com' },
  line_items: [
    {
      id: 'li_1',
      sku: 'MUG-01',
      title: 'Stoneware mug',
      quantity: 2,
      refundable_quantity: 2,
      unit_price: euros('25.00'),
      total: euros('54.48'),
    },
  ],
  shipping_lines: [{ id: 'sl_1', title: 'Standard', total: euros('4.90') }],
  shipping_address: null,
  payments: [
    {
      id: 'pay_1',
      gateway: 'sandpay',
      method: 'Visa •••• 4242',
      captured: euros('59.38'),
      refunded: euros('0.00'),
      refundable: euros('59.38'),
      refundable_online: true,
    },
  ],
  refunds: [],
  shipments: [],
  note: null,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
  url: 'https://store.example.com/orders/so_9f2k',
};
