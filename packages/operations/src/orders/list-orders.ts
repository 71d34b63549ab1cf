import { listOrders } from '@switchboard/domain/orders';
import { z } from 'zod';
import { formatCount } from '../format-count.js';
import { redactPlatformQuotes } from '../pipeline/redact-platform-quotes.js';
import { defineOperation } from '../define.js';
import { toProblemDetails } from '../pipeline/problem-details.js';
import {
  components,
  amount,
  CURSOR_DESCRIPTION,
  currency,
  id,
  instant,
  isoTimeOrNull,
  limit,
  platformIds,
  time,
} from '../shapes.js';
import {
  exampleOrder,
  fulfillmentStatus,
  orderShape,
  orderStatus,
  paymentStatus,
  presentOrder,
  compactOrder,
  orderUntrustedFields,
} from './order-shape.js';

/**
 * The cursor holds a position in every store. Node.js limits the request line and headers to 16,384 bytes.
 */
const CURSOR_MAX = 12_000;

const sourceShape = z.object({
  connection_id: z.string(),
  platform: z.string(),
  status: z.enum(['ok', 'partial', 'timeout', 'error']),
  complete: z.boolean(),
  searched_back_to: time.nullable(),
  notes: z.array(z.object({ code: z.string() })),
  error: z.object({ code: z.string(), detail: z.string() }).optional(),
});
sourceShape.register(components, { id: 'OrderSource' });

export default defineOperation({
  name: 'listOrders',
  summary: 'List the orders of all connected stores, read live, in one list.',
  guidance:
    'sources reports each store: the list is complete only where its source says so. Pages may be short; follow next_cursor until null. get_order returns the full order.',
  scope: 'orders:read',
  effect: 'read',
  boundary: 'staged',
  toolset: 'commerce',
  http: { method: 'get', path: '/ecommerce/orders', status: 200 },
  input: z.strictObject({
    profile_id: id('prf_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
    connection_id: id(exampleOrder.connection_id).optional(),
    platform: platformIds.optional(),
    status: z.array(orderStatus).min(1).max(3).describe('Any of these.').optional(),
    payment_status: z.array(paymentStatus).min(1).max(8).describe('Any of these.').optional(),
    fulfillment_status: z.array(fulfillmentStatus).min(1).max(4).describe('Any of these.').optional(),
    created_after: instant.optional(),
    created_before: instant.optional(),
    updated_after: instant.optional(),
    updated_before: instant.optional(),
    number: z.string().min(1).max(100).describe('Order number.').optional(),
    email: z.string().min(3).max(254).describe('The complete address, case-insensitive.').optional(),
    min_total: amount.describe('Needs currency.').optional(),
    max_total: amount.describe('Needs currency.').optional(),
    currency: currency.optional(),
    sort: z
      .enum(['-created_at', 'created_at', '-updated_at', 'updated_at'])
      .default('-created_at')
      .describe('Minus: newest first.'),
    limit,
    cursor: z.string().min(1).max(CURSOR_MAX).describe(CURSOR_DESCRIPTION).optional(),
  }),
  output: z.object({
    data: z.array(orderShape),
    next_cursor: z.string().nullable(),
    sources: z.array(sourceShape),
  }),
  failures: [
    'profile.not_found',
    'connection.not_found',
    'platform.not_found',
    'request.invalid_cursor',
    'orders.currency_required',
    'orders.all_sources_failed',
  ],
  example: {
    input: { payment_status: ['paid'], created_after: '2026-11-01T00:00:00Z' },
    output: {
      data: [exampleOrder],
      next_cursor: null,
      sources: [
        {
          connection_id: exampleOrder.connection_id,
          platform: 'sandbox_store',
          status: 'ok',
          complete: true,
          searched_back_to: null,
          notes: [],
        },
      ],
    },
  },
  mcp: {
    compact: ({ data, ...rest }) => ({ data: data.map(compactOrder), ...rest }),
    untrustedFields: orderUntrustedFields,
  },
  sentence: ({ data, next_cursor, sources }) => {
    const incompleteCount = sources.filter(({ complete }) => !complete).length;
    const incompleteNote =
      incompleteCount > 0
        ? `; results of ${incompleteCount} of ${formatCount(sources.length, 'store')} may be incomplete`
        : '';
    return `${formatCount(data.length, 'order')} from ${formatCount(sources.length, 'store')}${next_cursor === null ? '' : ', and more follow with next_cursor'}${incompleteNote}.`;
  },
  redact: redactPlatformQuotes,
  useCase: listOrders,
  present: ({ items, nextCursor, sources }, { call }) => ({
    data: items.map(presentOrder),
    next_cursor: nextCursor,
    sources: sources.map((source) => ({
      connection_id: source.connectionId,
      platform: source.platform,
      status: source.status,
      complete: source.complete,
      searched_back_to: isoTimeOrNull(source.searchedBackTo),
      notes: source.notes.map(({ code }) => ({ code })),
      ...(source.error && { error: toProblemDetails(source.error, call.requestId) }),
    })),
  }),
});
