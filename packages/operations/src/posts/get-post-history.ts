import { getPostHistory } from '@switchboard/domain/posts';
import { z } from 'zod';
import { formatCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { errorShape, presentError } from '../pipeline/error-shape.js';
import { components, id, isoTime, time } from '../shapes.js';
import { exampleDeliveryId, examplePost } from './post-shape.js';

export default defineOperation({
  name: 'getPostHistory',
  summary: 'Read the history of a post: attempts, lookups and decisions, in order.',
  guidance: 'Each attempt with its time, the platform’s response, and every manual decision.',
  scope: 'posts:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'admin',
  http: { method: 'get', path: '/social/posts/:id/history', status: 200 },
  input: z.strictObject({ id: id(examplePost.id) }),
  output: z.object({
    data: z.array(
      z
        .object({
          at: time,
          delivery_id: z.string(),
          kind: z.enum(['attempt', 'read_back', 'decision', 'state']),
          outcome: z.string(),
          error: errorShape.optional(),
          actor: z.string().optional(),
          note: z.string().optional(),
        })
        .register(components, { id: 'PostHistoryEntry' }),
    ),
  }),
  failures: ['post.not_found'],
  example: {
    input: { id: examplePost.id },
    output: {
      data: [
        { at: '2026-11-21T09:00:00.000Z', delivery_id: exampleDeliveryId, kind: 'attempt', outcome: 'begun' },
        {
          at: '2026-11-21T09:00:01.000Z',
          delivery_id: exampleDeliveryId,
          kind: 'attempt',
          outcome: 'published',
        },
      ],
    },
  },
  sentence: ({ data }) => `The history of the post has ${formatCount(data.length, 'event')}.`,
  useCase: getPostHistory,
  present: (history) => ({
    data: history.map(({ at, deliveryId, kind, outcome, error, actor, note }) => ({
      at: isoTime(at),
      delivery_id: deliveryId,
      kind,
      outcome,
      ...(error && { error: presentError(error) }),
      ...(actor !== null && { actor }),
      ...(note !== null && { note }),
    })),
  }),
});
