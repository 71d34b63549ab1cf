import { etagOf } from '@switchboard/domain';
import { cancelPost } from '@switchboard/domain/posts';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { deliveryIds, examplePost, postSentence, postShape, presentPost } from './post-shape.js';

const cancelled = { ...examplePost, status: 'cancelled' as const, deliveries: [] };

export default defineOperation({
  name: 'cancelPost',
  summary: 'Cancel the unpublished deliveries of a post.',
  guidance: 'Deliveries in progress are not affected. Rejected when all have started.',
  scope: 'posts:write',
  effect: 'update',
  boundary: 'atomic',
  toolset: 'social',
  http: {
    method: 'post',
    path: '/social/posts/:id/cancel',
    status: 200,
    aliases: [{ name: 'deletePost', method: 'delete', path: '/social/posts/:id' }],
  },
  input: z.strictObject({ id: id(examplePost.id), delivery_ids: deliveryIds.optional() }),
  output: postShape,
  failures: ['post.not_found', 'delivery.not_found', 'post.already_published', 'request.precondition_failed'],
  example: { input: { id: examplePost.id }, output: cancelled },
  sentence: postSentence,
  etag: etagOf,
  useCase: cancelPost,
  present: presentPost,
});
