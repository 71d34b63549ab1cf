import { listRefunds } from '@switchboard/domain/refunds';
import { z } from 'zod';
import { formatPageCount } from '../format-count.js';
import { redactPlatformQuotes } from '../pipeline/redact-platform-quotes.js';
import { defineOperation } from '../define.js';
import { cursor, id, instant, limit, pageOf } from '../shapes.js';
import { exampleRefund, presentRefund, refundShape, refundStatus } from './refund-shape.js';

export default defineOperation({
  name: 'listRefunds',
  summary: 'List refunds created through this service, newest first.',
  guidance: 'Refunds created in the store itself are in the order only.',
  scope: 'orders:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'commerce',
  http: { method: 'get', path: '/ecommerce/refunds', status: 200 },
  input: z.strictObject({
    order_id: id(exampleRefund.order_id).optional(),
    connection_id: id(exampleRefund.connection_id).optional(),
    profile_id: id('prf_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
    status: z.array(refundStatus).min(1).max(6).describe('Any of these.').optional(),
    created_after: instant.optional(),
    created_before: instant.optional(),
    limit,
    cursor,
  }),
  output: pageOf(refundShape),
  failures: ['order.not_found', 'connection.not_found', 'profile.not_found', 'request.invalid_cursor'],
  example: { input: { status: ['succeeded'] }, output: { data: [exampleRefund], next_cursor: null } },
  sentence: (page) => `${formatPageCount(page, 'refund')}.`,
  redact: redactPlatformQuotes,
  useCase: listRefunds,
  present: ({ items, nextCursor }, context) => ({
    data: items.map((refund) => presentRefund(refund, context)),
    next_cursor: nextCursor,
  }),
});
