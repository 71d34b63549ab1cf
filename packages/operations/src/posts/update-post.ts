import { etagOf } from '@switchboard/domain';
import { editPost, getPost, isEditing, withMediaProbes } from '@switchboard/domain/posts';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { draftFailures } from './draft-failures.js';
import { postProgress } from './post-progress.js';
import { changesShape, examplePost, postSentence, postShape, presentPost } from './post-shape.js';

export default defineOperation({
  name: 'updatePost',
  summary: 'Update a post.',
  guidance:
    'Only fields that are sent change; targets and metadata are replaced whole. draft: false publishes a draft. Once published, edit_published changes text, title and link on all accounts, or those in targets.',
  scope: 'posts:write',
  effect: 'update',
  boundary: 'atomic',
  toolset: 'social',
  http: { method: 'patch', path: '/social/posts/:id', status: 200 },
  input: changesShape.extend({
    id: id(examplePost.id),
    edit_published: z.boolean().describe('Edit what is published.').optional(),
  }),
  output: postShape,
  failures: [
    'post.not_found',
    'post.already_published',
    'post.cancelled',
    'request.precondition_failed',
    ...draftFailures,
    'post.invalid',
    'post.possible_duplicate',
    'post.edit_unsupported',
    'post.outcome_unknown',
    'approval.required',
  ],
  example: { input: { id: examplePost.id, text: 'Spring blends are here' }, output: examplePost },
  sentence: postSentence,
  settling: {
    isSettled: (post) => !isEditing(post),
    readAgain: (ports, call, { id }) => getPost(ports, call, { id }),
    progress: postProgress,
    mcpWaitSeconds: 10,
  },
  etag: etagOf,
  prepareCall: (ports, call, command) => withMediaProbes(ports, call, [command]),
  useCase: editPost,
  present: presentPost,
});
