import { listOrderChanges } from '@switchboard/domain/orders';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatCount } from '../format-count.js';
import { exampleOrderEvent, orderChangeShape } from '../events/event-shape.js';
import { id, limit } from '../shapes.js';
import { redactPlatformQuotes } from '../pipeline/redact-platform-quotes.js';
import { toEventPayload } from '@switchboard/domain/webhooks';

export default defineOperation({
  name: 'listOrderChanges',
  summary: 'List new and changed orders of watched stores, oldest first.',
  guidance:
    'updateConnection with watch_orders watches a store. Pass after of the previous page to continue, now to begin with the next change. Changes are kept for 90 days. None is skipped; an order that changed twice may be listed once, as it is now. A change contains no personal data: read the order. The events order.created and order.updated have the same data.',
  scope: 'orders:read',
  effect: 'read',
  boundary: 'staged',
  staysLocal: true,
  http: { method: 'get', path: '/ecommerce/orders/changes', status: 200 },
  input: z.strictObject({
    after: z
      .string()
      .min(1)
      .max(4096)
      .describe('after of the previous page, or now; the oldest change when omitted.')
      .optional(),
    profile_id: id(exampleOrderEvent.profile_id).optional(),
    limit,
  }),
  output: z.object({
    data: z.array(orderChangeShape),
    after: z.string().describe('Continues the list.'),
    has_more: z.boolean().describe('Whether more changes can be listed now.'),
  }),
  failures: ['profile.not_found', 'request.invalid_cursor'],
  example: {
    input: { limit: 50 },
    output: { data: [exampleOrderEvent], after: 'eyJwIjoxMjM0fQ', has_more: false },
  },
  sentence: ({ data, has_more: hasMore }) =>
    `${formatCount(data.length, 'change')}${hasMore ? ', and more follow with after' : ''}.`,
  redact: redactPlatformQuotes,
  useCase: listOrderChanges,
  present: ({ items, after, hasMore }) => ({
    data: items.map((event) => ({
      ...toEventPayload(event, { hidePersonalData: true }),
      type: event.type,
    })),
    after,
    has_more: hasMore,
  }),
});
