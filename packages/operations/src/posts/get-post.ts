import { etagOf, ok } from '@switchboard/domain';
import { refreshPost } from '@switchboard/domain/deliveries';
import { getPost, isEditing, isSettled, statusOf } from '@switchboard/domain/posts';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { isDecided } from './is-decided.js';
import { postProgress } from './post-progress.js';
import { examplePost, postSentence, postShape, presentPost } from './post-shape.js';

export default defineOperation({
  name: 'getPost',
  summary: 'Read one post with its delivery status on each account.',
  guidance:
    'With a wait, returns once all deliveries settled or a person decided. unknown and needs_review: the post may be live, do not send it again.',
  scope: 'posts:read',
  effect: 'read',
  boundary: 'staged',
  toolset: 'social',
  http: { method: 'get', path: '/social/posts/:id', status: 200 },
  input: z.strictObject({
    id: id(examplePost.id),
    refresh: z.boolean().describe('Ask the platforms whether it still exists.').optional(),
  }),
  output: postShape,
  failures: ['post.not_found'],
  example: { input: { id: examplePost.id }, output: examplePost },
  sentence: postSentence,
  settling: {
    isSettled: (post, now, wait) =>
      isDecided(post, now, wait) ?? (isSettled(statusOf(post, now)) && !isEditing(post)),
    async readAgain(ports, call, { id, checks }) {
      const read = await getPost(ports, call, { id });
      return read.ok ? ok({ ...read.value, checks }) : read;
    },
    progress: postProgress,
    mcpWaitSeconds: 0,
  },
  etag: etagOf,
  useCase: refreshPost,
  present: presentPost,
});
