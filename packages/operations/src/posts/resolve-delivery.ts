import { etagOf } from '@switchboard/domain';
import { resolveDelivery } from '@switchboard/domain/deliveries';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import {
  exampleDeliveryId,
  examplePost,
  postSentence,
  postShape,
  presentPost,
  webUrl,
} from './post-shape.js';

export default defineOperation({
  name: 'resolveDelivery',
  summary: 'Record whether a delivery with unknown outcome was published, after checking the account.',
  guidance:
    'For a person who has checked the account: published keeps the delivery, not_published allows a retry.',
  scope: 'posts:write',
  effect: 'update',
  boundary: 'atomic',
  http: { method: 'post', path: '/social/posts/:id/deliveries/:delivery_id/resolve', status: 200 },
  input: z.strictObject({
    id: id(examplePost.id),
    delivery_id: id(exampleDeliveryId),
    outcome: z.enum(['published', 'not_published']),
    url: webUrl.optional(),
    note: z.string().min(1).max(2000),
  }),
  output: postShape,
  failures: ['post.not_found', 'delivery.not_found', 'delivery.settled'],
  example: {
    input: {
      id: examplePost.id,
      delivery_id: exampleDeliveryId,
      outcome: 'published',
      note: 'Seen on the account.',
    },
    output: examplePost,
  },
  sentence: postSentence,
  etag: etagOf,
  useCase: resolveDelivery,
  present: presentPost,
});
