import { etagOf, recheckDelivery } from '@switchboard/domain';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { exampleDeliveryId, examplePost, postSentence, postShape, presentPost } from './post-shape.js';

export default defineOperation({
  name: 'recheckDelivery',
  summary: 'Look at the platform now whether a delivery in doubt went out.',
  guidance: 'Only unknown and needs_review are looked up; where nothing can be read back a person decides.',
  scope: 'posts:write',
  effect: 'update',
  boundary: 'staged',
  surfaces: ['rest', 'mcp'],
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
