import { createPosts, withMediaProbes } from '@switchboard/domain/posts';
import { z } from 'zod';
import { formatCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { draftFailures } from './draft-failures.js';
import { draftShape, examplePost, postShape, presentPost } from './post-shape.js';

export default defineOperation({
  name: 'createPosts',
  summary: 'Create or schedule up to fifty posts at once: all of them, or none.',
  guidance:
    'All posts are validated first. Problems are reported with their path, such as posts.3.text, and nothing is stored.',
  scope: 'posts:write',
  effect: 'create',
  boundary: 'atomic',
  toolset: 'admin',
  http: { method: 'post', path: '/social/posts/batch', status: 201 },
  input: z.strictObject({ posts: z.array(draftShape).min(1).max(50).describe('All or none are created.') }),
  output: z.object({ data: z.array(postShape) }),
  failures: [...draftFailures, 'post.invalid', 'post.possible_duplicate'],
  example: {
    input: { posts: [{ text: 'Spring blends are here', targets: 'all' }] },
    output: { data: [examplePost] },
  },
  sentence: ({ data }) => `Created ${formatCount(data.length, 'post')}; check each with get_post.`,
  object: (posts) => posts.map(({ id }) => id).join(' '),
  prepareCall: (ports, call, command) => withMediaProbes(ports, call, command.posts),
  useCase: createPosts,
  present: (posts, context) => ({ data: posts.map((post) => presentPost(post, context)) }),
});
