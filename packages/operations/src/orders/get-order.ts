import { getOrder, safeOrderNumber } from '@switchboard/domain/orders';
import { z } from 'zod';
import { redactPlatformQuotes } from '../pipeline/redact-platform-quotes.js';
import { defineOperation } from '../define.js';
import { platformFailures } from '../platform-failures.js';
import { id } from '../shapes.js';
import { exampleOrder, orderShape, orderUntrustedFields, presentOrder } from './order-shape.js';

export default defineOperation({
  name: 'getOrder',
  summary: 'Read one order, live from its store.',
  guidance:
    'Includes what can still be refunded and through which payment. Call quote_refund before you refund.',
  scope: 'orders:read',
  effect: 'read',
  boundary: 'staged',
  toolset: 'commerce',
  http: { method: 'get', path: '/ecommerce/orders/:order_id', status: 200 },
  input: z.strictObject({ order_id: id(exampleOrder.id) }),
  output: orderShape,
  failures: ['order.not_found', ...platformFailures],
  example: { input: { order_id: exampleOrder.id }, output: exampleOrder },
  mcp: { untrustedFields: orderUntrustedFields },
  sentence: ({ number, payment_status, totals }) =>
    `${safeOrderNumber(number) === null ? 'The order' : `Order ${number}`}: ${payment_status.replace('_', ' ')}, ${totals.total.amount} ${totals.total.currency}, of which ${totals.refundable.amount} can still be refunded.`,
  redact: redactPlatformQuotes,
  useCase: getOrder,
  present: presentOrder,
});
