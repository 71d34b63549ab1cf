import { etagOf } from '@switchboard/domain';
import { updateQueue } from '@switchboard/domain/posts';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatCount } from '../format-count.js';
import { draftFailures } from '../posts/draft-failures.js';
import { id, timezone } from '../shapes.js';
import { exampleProfile } from './profile-shape.js';
import { exampleQueue, presentQueue, queueShape, slotsInput } from './queue-shape.js';

export default defineOperation({
  name: 'updateQueue',
  summary: 'Replace the posting slots of a profile.',
  guidance:
    'Queued posts keep their times, unless reassign moves them to the new slots in their order. An empty list ends the queue. Where the clock changes, a skipped time moves with it, and a repeated one counts once.',
  scope: 'posts:write',
  effect: 'update',
  boundary: 'atomic',
  toolset: 'admin',
  http: { method: 'put', path: '/profiles/:id/queue', status: 200 },
  input: z.strictObject({
    id: id(exampleProfile.id),
    timezone: timezone.describe('Default: unchanged, at first the profile’s.').optional(),
    slots: slotsInput,
    reassign: z.boolean().describe('Move queued posts to the new slots.').optional(),
  }),
  output: queueShape,
  failures: [
    ...draftFailures,
    'post.cancelled',
    'post.invalid',
    'post.possible_duplicate',
    'request.precondition_failed',
  ],
  example: {
    input: {
      id: exampleProfile.id,
      timezone: 'Europe/Madrid',
      slots: [{ weekday: 'monday', time: '09:00' }],
    },
    output: exampleQueue,
  },
  sentence: ({ slots }) =>
    slots.length === 0
      ? 'The profile has no posting slots any more.'
      : `The profile has ${formatCount(slots.length, 'posting slot')} a week.`,
  object: ({ profileId }) => profileId,
  etag: etagOf,
  useCase: updateQueue,
  present: presentQueue,
});
