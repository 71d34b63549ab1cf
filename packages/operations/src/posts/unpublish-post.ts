import { etagOf } from '@switchboard/domain';
import { unpublishPost } from '@switchboard/domain/deliveries';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { platformFailures } from '../platform-failures.js';
import { id } from '../shapes.js';
import { deliveryIds, examplePost, postSentence, postShape, presentPost } from './post-shape.js';

export default defineOperation({
  name: 'unpublishPost',
  summary: 'Delete a published post from its platforms, where supported.',
  guidance: 'Cannot be undone.',
  scope: 'posts:write',
  effect: 'delete',
  boundary: 'staged',
  toolset: 'social',
  http: { method: 'post', path: '/social/posts/:id/unpublish', status: 200 },
  input: z.strictObject({ id: id(examplePost.id), delivery_ids: deliveryIds.optional() }),
  output: postShape,
  failures: [
    'post.not_found',
    'delivery.not_found',
    'connection.not_found',
    'post.unpublish_unsupported',
    ...platformFailures,
  ],
  example: {
    input: { id: examplePost.id },
    output: {
      ...examplePost,
      status: 'deleted',
      deliveries: examplePost.deliveries.map((delivery) => ({ ...delivery, status: 'deleted' as const })),
    },
  },
  sentence: postSentence,
  etag: etagOf,
  useCase: unpublishPost,
  present: presentPost,
});
