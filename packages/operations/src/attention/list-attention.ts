import { attentionKinds, listAttention, type AttentionItem } from '@switchboard/domain/attention';
import { SCHEDULED_POSTS_MAX } from '@switchboard/domain/connections';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { cursor, isoTime, isoTimeOrNull, limit, pageOf, time } from '../shapes.js';

const itemShape = z.object({
  kind: z.enum(attentionKinds),
  since: time.nullable(),
  title: z.string().nullable(),
  platform: z.string(),
  connection_id: z.string().optional(),
  post_id: z.string().optional(),
  delivery_id: z.string().optional(),
  refund_id: z.string().optional(),
  scheduled_posts: z
    .int()
    .describe(`Counted up to ${SCHEDULED_POSTS_MAX}; that value means that many or more.`)
    .optional(),
  next_post_at: time.nullable().optional(),
  message: z.string(),
  next: z.object({ operation: z.string(), arguments: z.record(z.string(), z.unknown()) }).nullable(),
});

const presentItem = ({
  connectionId,
  postId,
  deliveryId,
  refundId,
  scheduledPosts,
  nextPostAt,
  ...item
}: AttentionItem): z.input<typeof itemShape> => ({
  kind: item.kind,
  since: isoTimeOrNull(item.since),
  title: item.title,
  platform: item.platform,
  ...(connectionId && { connection_id: connectionId }),
  ...(postId && { post_id: postId }),
  ...(deliveryId && { delivery_id: deliveryId }),
  ...(refundId && { refund_id: refundId }),
  ...(scheduledPosts !== undefined && { scheduled_posts: scheduledPosts }),
  ...(nextPostAt !== undefined && { next_post_at: nextPostAt && isoTime(nextPostAt) }),
  message: item.message,
  next: { operation: item.next.operation, arguments: { ...item.next.arguments } },
});

export default defineOperation({
  name: 'listAttention',
  summary: 'List what requires a person’s action, most urgent first.',
  guidance:
    'Refunds and posts with unknown outcome, accounts that must be reconnected and the posts blocked by them, missed posts (ask the person before you send one), platform API versions that are about to be retired. message describes what to do; next is a call that is ready to send. Failed posts: list_posts with status failed, partially_published.',
  scope: 'any',
  effect: 'read',
  boundary: 'read',
  surfaces: ['rest', 'mcp'],
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
            'The login at Bluesky has expired or was revoked: the account owner must reconnect it. 2 scheduled posts depend on it, the first due at 2026-11-21T09:00:00.000Z.',
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
  present: ({ items, nextCursor }) => ({ data: items.map(presentItem), next_cursor: nextCursor }),
});
