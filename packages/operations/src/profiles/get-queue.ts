import { etagOf } from '@switchboard/domain';
import { getQueue } from '@switchboard/domain/posts';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatCount } from '../format-count.js';
import { id } from '../shapes.js';
import { exampleProfile } from './profile-shape.js';
import { exampleQueue, presentQueue, queueShape } from './queue-shape.js';

export default defineOperation({
  name: 'getQueue',
  summary: 'Read the posting slots of a profile, and the coming ones with their posts.',
  guidance:
    'A post with queue: "next" takes the next free slot. Coming slots without post_id are free. Taken ones stay when the slots change.',
  scope: 'posts:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'admin',
  http: { method: 'get', path: '/profiles/:id/queue', status: 200 },
  input: z.strictObject({
    id: id(exampleProfile.id),
    limit: z.int().min(1).max(100).default(20).describe('Number of coming slots.'),
  }),
  output: queueShape,
  failures: ['profile.not_found'],
  example: { input: { id: exampleProfile.id }, output: exampleQueue },
  sentence: ({ slots, coming }) => {
    const taken = coming.filter(({ post_id: postId }) => postId !== undefined);
    return slots.length === 0
      ? 'The profile has no posting slots.'
      : `${formatCount(slots.length, 'posting slot')} a week; ${taken.length} of the next ${coming.length} are taken.`;
  },
  etag: etagOf,
  useCase: getQueue,
  present: presentQueue,
});
