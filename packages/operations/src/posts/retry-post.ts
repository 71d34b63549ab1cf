import { etagOf } from '@switchboard/domain';
import { retryPost } from '@switchboard/domain/deliveries';
import { getPost, isBlocked, isSettled, statusOf } from '@switchboard/domain/posts';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { isDecided } from './is-decided.js';
import { postProgress } from './post-progress.js';
import { deliveryIds, examplePost, postSentence, postShape, presentPost } from './post-shape.js';

export default defineOperation({
  name: 'retryPost',
  summary: 'Retry failed and missed deliveries only.',
  guidance: 'Rejected for deliveries that may be live: recheck those first.',
  scope: 'posts:write',
  effect: 'update',
  boundary: 'atomic',
  toolset: 'social',
  http: { method: 'post', path: '/social/posts/:id/retry', status: 200 },
  input: z.strictObject({
    id: id(examplePost.id),
    delivery_ids: deliveryIds.optional(),
    allow_duplicate: z.boolean().describe('Retry although the text was published meanwhile.').optional(),
  }),
  output: postShape,
  failures: [
    'post.not_found',
    'delivery.not_found',
    'post.outcome_unknown',
    'post.already_published',
    'post.cancelled',
    'post.possible_duplicate',
  ],
  example: { input: { id: examplePost.id }, output: examplePost },
  sentence: postSentence,
  settling: {
    isSettled: (post, now, wait) =>
      isDecided(post, now, wait) ?? (isSettled(statusOf(post, now)) || isBlocked(post)),
    readAgain: (ports, call, post) => getPost(ports, call, { id: post.id }),
    progress: postProgress,
    mcpWaitSeconds: 10,
  },
  etag: etagOf,
  useCase: retryPost,
  present: presentPost,
});
