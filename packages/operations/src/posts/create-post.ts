import { etagOf } from '@switchboard/domain';
import {
  createPost,
  getPost,
  isBlocked,
  isSettled,
  statusOf,
  withMediaProbes,
} from '@switchboard/domain/posts';
import { defineOperation } from '../define.js';
import { draftFailures } from './draft-failures.js';
import { isDecided } from './is-decided.js';
import { postProgress } from './post-progress.js';
import {
  draftShape,
  draftToolInput,
  examplePost,
  postSentence,
  postShape,
  presentPost,
} from './post-shape.js';

export default defineOperation({
  name: 'createPost',
  summary: 'Create or schedule a social post.',
  guidance:
    'Publishes in the background, now or at scheduled_at. Call validate_post first. A delivery with status unknown may be live: do not create the post again, check it with get_post.',
  scope: 'posts:write',
  effect: 'create',
  boundary: 'atomic',
  toolset: 'social',
  http: { method: 'post', path: '/social/posts', status: 201 },
  input: draftShape,
  output: postShape,
  failures: [...draftFailures, 'post.invalid', 'post.possible_duplicate'],
  example: {
    input: {
      text: 'Spring blends are here',
      link: 'https://example.com/spring',
      targets: 'all',
      metadata: { campaign: 'spring' },
    },
    output: examplePost,
  },
  mcp: {
    input: draftToolInput,
    example: {
      text: 'Hello',
      targets: [{ platform: 'bluesky' }, { connection_id: 'con_…', text: 'Hello, shorter' }],
      scheduled_at: '2026-12-01T09:00',
      timezone: 'Europe/Madrid',
    },
  },
  sentence: postSentence,
  settling: {
    isSettled: (post, now, wait) =>
      isDecided(post, now, wait) ??
      (isSettled(statusOf(post, now)) ||
        isBlocked(post) ||
        post.scheduledAt.getTime() > now.getTime() + 1000),
    readAgain: (ports, call, { id }) => getPost(ports, call, { id }),
    progress: postProgress,
    mcpWaitSeconds: 10,
  },
  etag: etagOf,
  prepareCall: (ports, call, command) => withMediaProbes(ports, call, [command]),
  useCase: createPost,
  present: presentPost,
});
