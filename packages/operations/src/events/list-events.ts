import { eventTypePatterns, listEvents } from '@switchboard/domain/events';
import { hidesPersonalData } from '@switchboard/domain/orders';
import { toEventPayload } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatCount } from '../format-count.js';
import { id, limit } from '../shapes.js';
import { eventShape, exampleEvent } from './event-shape.js';
import { eventTypePattern } from '../webhooks/webhook-shape.js';

export default defineOperation({
  name: 'listEvents',
  summary: 'List what happened, oldest first, or wait for the next event.',
  guidance:
    'Pass after of the previous page to continue, now to begin with the next event. Events are kept for 90 days. None is skipped.',
  scope: 'events:read',
  effect: 'read',
  boundary: 'staged',
  staysLocal: true,
  toolset: 'admin',
  http: { method: 'get', path: '/events', status: 200 },
  input: z.strictObject({
    after: z
      .string()
      .min(1)
      .max(4096)
      .describe('after of the previous page, or now; the oldest event when omitted.')
      .optional(),
    type: z
      .array(eventTypePattern)
      .min(1)
      .max(eventTypePatterns.length)
      .describe('Only these types; post.* matches all of posts.')
      .optional(),
    profile_id: id(exampleEvent.profile_id).optional(),
    limit,
    wait: z.int().min(0).max(30).default(0).describe('Seconds to wait for an event when there is none.'),
  }),
  output: z.object({
    data: z.array(eventShape),
    after: z.string().describe('Continues the list.'),
    has_more: z.boolean().describe('Whether more events can be listed now.'),
  }),
  failures: ['profile.not_found', 'request.invalid_cursor'],
  example: {
    input: { type: ['post.*'], wait: 10 },
    output: { data: [exampleEvent], after: 'eyJwIjoxMjM0fQ', has_more: false },
  },
  mcp: { untrustedFields: 'data.account' },
  sentence: ({ data, has_more: hasMore }) =>
    `${formatCount(data.length, 'event')}${hasMore ? ', and more follow with after' : ''}.`,
  useCase: listEvents,
  present: ({ items, after, hasMore }, { call }) => ({
    data: items.map((event) => toEventPayload(event, { hidePersonalData: hidesPersonalData(call) })),
    after,
    has_more: hasMore,
  }),
});
