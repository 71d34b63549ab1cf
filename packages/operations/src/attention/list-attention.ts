import { attentionKinds, listAttention } from '@switchboard/domain/attention';
import { SCHEDULED_POSTS_MAX } from '@switchboard/domain/connections';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { components, cursor, limit, nextCallShape, pageOf, time } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';

const itemShape = z.object({
  kind: z.enum(attentionKinds),
  since: time.nullable(),
  title: z.string().nullable(),
  platform: z.string().describe('Empty for what belongs to no platform.'),
  connection_id: z.string().optional(),
  post_id: z.string().optional(),
  delivery_id: z.string().optional(),
  refund_id: z.string().optional(),
  webhook_id: z.string().optional(),
  approval_id: z.string().optional(),
  scheduled_posts: z
    .int()
    .describe(`Counted up to ${SCHEDULED_POSTS_MAX}; that value means that many or more.`)
    .optional(),
  next_post_at: time.nullable().optional(),
  message: z.string(),
  next: nextCallShape.nullable(),
});
itemShape.register(components, { id: 'AttentionItem' });

export default defineOperation({
  name: 'listAttention',
  summary: 'List what requires a person’s action, most urgent first.',
  guidance:
    'Unknown outcomes of refunds and posts, requests for approval, accounts to reconnect with the posts they block, disabled webhooks, failed media of scheduled posts, failed posts, missed posts (ask the person before you send one), ending API versions. next is a ready call.',
  scope: 'any',
  effect: 'read',
  boundary: 'read',
  toolset: 'every',
  http: { method: 'get', path: '/attention', status: 200 },
  input: z.strictObject({ limit, cursor }),
  output: pageOf(itemShape),
  failures: ['request.invalid_cursor'],
  example: {
    input: {},
    output: {
      data: [
        {
          kind: 'connection_needs_reauth',
          since: null,
          title: 'Lumen Coffee',
          platform: 'bluesky',
          connection_id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab',
          scheduled_posts: 2,
          next_post_at: '2026-11-21T09:00:00.000Z',
          message:
            'The login of @lumen.coffee (Bluesky) has expired or was revoked: the account owner must reconnect it. 2 scheduled posts depend on it, the first due at 2026-11-21 10:00 Europe/Madrid (2026-11-21T09:00:00Z).',
          next: {
            operation: 'startConnect',
            arguments: { connection_id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab' },
          },
        },
      ],
      next_cursor: null,
    },
  },
  sentence: ({ data, next_cursor }) => {
    const [first] = data;
    if (!first) return 'Nothing requires a person’s action.';
    const count = data.length === 1 ? '1 item requires' : `${data.length} items require`;
    return `${count} a person’s action${next_cursor === null ? '' : ', and more follow with next_cursor'}. The most urgent: ${first.message}`;
  },
  useCase: listAttention,
  present: ({ items, nextCursor }) => ({ data: toWireFormat(items), next_cursor: nextCursor }),
});
