import { apportion } from './apportion.js';
import type { Order } from './order.js';
import { stateOf } from './order-state.js';
import type { Refund } from './refund.js';
import { presentRefund } from './refund.js';

export function presentOrder(origin: string, order: Order, refunds: readonly Refund[], now: Date) {
  const { shop: _shop, ...rest } = order;
  const state = stateOf(order, refunds, now);
  const shippingRefunded = apportion(
    state.shippingRefunded,
    order.shipping_lines.map((line) => line.total),
  );
  return {
    ...rest,
    payment_status: state.paymentStatus,
    captured_total: state.captured,
    refunded_total: state.refunded,
    pending_refund_total: state.pending,
    refundable_total: state.refundable,
    line_items: order.line_items.map((line) => ({
      ...line,
      refunded_quantity: state.refundedQuantity(line.id),
    })),
    shipping_lines: order.shipping_lines.map((line, index) => ({
      ...line,
      refunded: shippingRefunded[index] ?? 0,
    })),
    payments: order.payments.map((payment) => ({
      ...payment,
      refunded: state.refundedOf(payment.id),
      refundable: state.refundableOf(payment.id),
    })),
    refunds: refunds.map((refund) => presentRefund(refund, now)),
    updated_at: state.updatedAt,
    url: `${origin}/store/orders/${order.id}`,
  };
}
