import { etagOf } from '@switchboard/domain';
import { updatePost, withMediaProbes } from '@switchboard/domain/posts';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { draftFailures } from './draft-failures.js';
import { changesShape, examplePost, postSentence, postShape, presentPost } from './post-shape.js';

export default defineOperation({
  name: 'updatePost',
  summary: 'Update a post before its publishing starts.',
  guidance:
    'Only fields that are sent change; targets and metadata are replaced as a whole. draft: false schedules or publishes a draft.',
  scope: 'posts:write',
  effect: 'update',
  boundary: 'atomic',
  toolset: 'social',
  http: { method: 'patch', path: '/social/posts/:id', status: 200 },
  input: changesShape.extend({ id: id(examplePost.id) }),
  output: postShape,
  failures: [
    'post.not_found',
    'post.already_published',
    'post.cancelled',
    'request.precondition_failed',
    ...draftFailures,
    'post.invalid',
    'post.possible_duplicate',
  ],
  example: { input: { id: examplePost.id, text: 'Spring blends are here' }, output: examplePost },
  sentence: postSentence,
  etag: etagOf,
  prepareCall: (ports, call, command) => withMediaProbes(ports, call, [command]),
  useCase: updatePost,
  present: presentPost,
});
