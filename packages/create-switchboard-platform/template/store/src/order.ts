import { money, type RemoteOrder, type RemoteRefund } from '@switchboard/platform-kit';
import { z } from 'zod';

const id = z.string().min(1);
/** In the smallest unit of the currency. */
const minor = z.int().nonnegative();
const time = z.iso.datetime().transform((text) => new Date(text));

export const refund = z.object({
  id,
  payment_id: id,
  amount: minor,
  // Empty for a refund that was made elsewhere.
  reference: z.string(),
  status: z.enum(['pending', 'succeeded', 'failed']),
  created_at: time,
});
export const order = z.object({
  id,
  number: z.string(),
  status: z.enum(['open', 'completed', 'cancelled']),
  payment_status: z.enum(['pending', 'paid', 'partially_refunded', 'refunded']),
  fulfillment_status: z.enum(['unfulfilled', 'fulfilled']),
  currency: z.string().regex(/^[A-Z]{3}$/),
  tax_included: z.boolean(),
  shipping: minor,
  tax: minor,
  total: minor,
  email: z.string(),
  lines: z.array(z.object({ id, title: z.string(), quantity: z.int().positive(), unit_price: minor })),
  payments: z.array(z.object({ id, gateway: z.string(), captured: minor, refunded: minor })),
  refunds: z.array(refund),
  created_at: time,
  updated_at: time,
});
type WireOrder = z.infer<typeof order>;

const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0);

export const readRefund = (wire: z.infer<typeof refund>, currency: string): RemoteRefund => ({
  externalId: wire.id,
  status: wire.status,
  amount: money(wire.amount, currency),
  reference: wire.reference || null,
  reason: null,
  paymentId: wire.payment_id,
  moneyMoved: wire.status === 'failed' ? false : true,
  createdAt: wire.created_at,
});

export function readOrder(wire: WireOrder): RemoteOrder {
  const amount = (value: number) => money(value, wire.currency);
  const captured = sum(wire.payments.map((payment) => payment.captured));
  const refunded = sum(wire.payments.map((payment) => payment.refunded));
  return {
    externalId: wire.id,
    number: wire.number,
    status: wire.status,
    paymentStatus: wire.payment_status,
    fulfillmentStatus: wire.fulfillment_status,
    rawStatus: wire.status,
    currency: wire.currency,
    pricesIncludeTax: wire.tax_included,
    totals: {
      discount: amount(0),
      shipping: amount(wire.shipping),
      tax: amount(wire.tax),
      total: amount(wire.total),
      captured: amount(captured),
      refunded: amount(refunded),
      refundable: amount(captured - refunded),
    },
    customer: { id: null, name: null, email: wire.email },
    emails: [wire.email],
    lines: wire.lines.map((line) => ({
      id: line.id,
      sku: null,
      title: line.title,
      quantity: line.quantity,
      refundableQuantity: line.quantity,
      unitPrice: amount(line.unit_price),
      total: amount(line.unit_price * line.quantity),
    })),
    shippingLines: [
      { id: 'shipping', title: 'Shipping', total: amount(wire.shipping), refundable: amount(wire.shipping) },
    ],
    shippingAddress: null,
    payments: wire.payments.map((payment) => ({
      id: payment.id,
      gateway: payment.gateway,
      method: null,
      captured: amount(payment.captured),
      refunded: amount(payment.refunded),
      refundable: amount(payment.captured - payment.refunded),
      refundableOnline: true,
    })),
    refunds: wire.refunds.map((one) => readRefund(one, wire.currency)),
    shipments: null,
    note: null,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
    url: null,
  };
}
