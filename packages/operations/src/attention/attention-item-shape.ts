import { attentionKinds, type AttentionItem } from '@switchboard/domain/attention';
import { SCHEDULED_POSTS_MAX } from '@switchboard/domain/connections';
import { z } from 'zod';
import { components, nextCallShape, time } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';

export const attentionItemShape = z.object({
  id: z.string(),
  kind: z.enum(attentionKinds),
  since: time.nullable(),
  title: z.string().nullable(),
  platform: z.string().describe('Empty for what belongs to no platform.'),
  profile_id: z.string().optional(),
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
attentionItemShape.register(components, { id: 'AttentionItem' });

export const presentAttentionItem = (item: AttentionItem): z.input<typeof attentionItemShape> =>
  toWireFormat(item);

export const exampleAttentionItem: z.input<typeof attentionItemShape> = {
  id: 'att_Y29ubmVjdGlvbl9uZWVkc19yZWF1dGggY29uXzAxa2FoM3Y1dzhlMm02cjl0MHg0eTd6MWFiIDE',
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
};
