import { listPosts } from '@switchboard/domain/posts';
import { z } from 'zod';
import { formatPageCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { cursor, id, instant, limit, metadata, pageOf, platformIds } from '../shapes.js';
import { examplePost, compactPost, postShape, postStatus, presentPost } from './post-shape.js';

export default defineOperation({
  name: 'listPosts',
  summary: 'List posts, newest first or by publish time.',
  guidance: 'Keep the filters while you follow next_cursor. get_post returns the full post.',
  scope: 'posts:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'social',
  http: { method: 'get', path: '/social/posts', status: 200 },
  input: z.strictObject({
    profile_id: id(examplePost.profile_id).optional(),
    connection_id: id('con_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
    platform: platformIds.optional(),
    status: z.array(postStatus).min(1).max(11).describe('Any of these.').optional(),
    scheduled_after: instant.optional(),
    scheduled_before: instant.optional(),
    published_after: instant.optional(),
    published_before: instant.optional(),
    metadata: metadata.describe('All match; in a query metadata.campaign=spring.').optional(),
    external_id: z.string().min(1).max(200).describe('Your own id.').optional(),
    sort: z
      .enum(['-created_at', 'scheduled_at'])
      .default('-created_at')
      .describe('Newest first, or by publish time.'),
    limit,
    cursor,
  }),
  output: pageOf(postShape),
  failures: ['profile.not_found', 'connection.not_found', 'platform.not_found', 'request.invalid_cursor'],
  example: { input: { status: ['scheduled'] }, output: { data: [examplePost], next_cursor: null } },
  mcp: { compact: ({ data, ...rest }) => ({ data: data.map(compactPost), ...rest }) },
  sentence: (page) => `${formatPageCount(page, 'post')}.`,
  useCase: listPosts,
  present: ({ items, nextCursor }, context) => ({
    data: items.map((post) => presentPost(post, context)),
    next_cursor: nextCursor,
  }),
});
