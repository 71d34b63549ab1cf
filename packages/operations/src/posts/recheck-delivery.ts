import { etagOf } from '@switchboard/domain';
import { recheckDelivery } from '@switchboard/domain/deliveries';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { exampleDeliveryId, examplePost, postSentence, postShape, presentPost } from './post-shape.js';

export default defineOperation({
  name: 'recheckDelivery',
  summary: 'Check at the platform whether a delivery with unknown outcome was published.',
  guidance:
    'Only for unknown and needs_review; where the platform cannot be searched, a person has to decide.',
  scope: 'posts:write',
  effect: 'update',
  boundary: 'staged',
  toolset: 'admin',
  http: { method: 'post', path: '/social/posts/:id/deliveries/:delivery_id/recheck', status: 200 },
  input: z.strictObject({ id: id(examplePost.id), delivery_id: id(exampleDeliveryId) }),
  output: postShape,
  failures: ['post.not_found', 'delivery.not_found'],
  example: { input: { id: examplePost.id, delivery_id: exampleDeliveryId }, output: examplePost },
  sentence: postSentence,
  etag: etagOf,
  useCase: recheckDelivery,
  present: presentPost,
});
