import { eventTypePatterns, eventTypes, listEvents } from '@switchboard/domain/events';
import { toEventPayload } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatCount } from '../format-count.js';
import { components, id, limit, time } from '../shapes.js';
import { eventTypePattern } from '../webhooks/webhook-shape.js';

const eventShape = z
  .object({
    id: z.string(),
    type: z.enum(eventTypes),
    created_at: time,
    profile_id: z.string().nullable().describe('Null for what belongs to no profile, such as a key.'),
    sequence: z.int().describe('Increases with every event of an object.'),
    data: z.record(z.string(), z.unknown()).describe('What happened, by type: ids, status and errors.'),
  })
  .register(components, { id: 'Event' });

const exampleEvent = {
  id: 'evt_01kah3v5w8e2m6r9t0x4y7z1ab',
  type: 'post.published' as const,
  created_at: '2026-11-21T09:00:02.000Z',
  profile_id: 'prf_01kah3v5w8e2m6r9t0x4y7z1ab',
  sequence: 42,
  data: {
    post_id: 'pst_01kah3v5w8e2m6r9t0x4y7z1ab',
    status: 'published',
    deliveries: [
      {
        delivery_id: 'dlv_01kah3v5w8e2m6r9t0x4y7z1ab',
        connection_id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab',
        platform: 'bluesky',
        status: 'published',
        external_id: '3lbg4k2m7xs2a',
        url: 'https://bsky.app/profile/lumen.coffee/post/3lbg4k2m7xs2a',
        error: null,
      },
    ],
  },
};

export default defineOperation({
  name: 'listEvents',
  summary: 'List what happened, oldest first, or wait for the next event.',
  guidance:
    'Pass after of the previous page to continue, now to begin with the next event. Events are kept for 90 days. An event is listed once its transaction and all older ones have ended, so none is skipped.',
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
  present: ({ items, after, hasMore }) => ({
    data: items.map((event) => toEventPayload(event, { hidePersonalData: false })),
    after,
    has_more: hasMore,
  }),
});
