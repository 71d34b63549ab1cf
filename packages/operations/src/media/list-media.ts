import { listMedia } from '@switchboard/domain/media';
import { z } from 'zod';
import { formatPageCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { cursor, limit, pageOf } from '../shapes.js';
import { exampleMedia, mediaShape, presentMedia } from './media-shape.js';

export default defineOperation({
  name: 'listMedia',
  summary: 'List images, videos and documents, newest first.',
  guidance: 'A key bound to profiles lists only media created by it or by a key it was rotated from.',
  scope: 'posts:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'admin',
  http: { method: 'get', path: '/social/media', status: 200 },
  input: z.strictObject({ limit, cursor }),
  output: pageOf(mediaShape),
  failures: ['request.invalid_cursor'],
  example: { input: { limit: 20 }, output: { data: [exampleMedia], next_cursor: null } },
  sentence: (page) => `${formatPageCount(page, 'file')}.`,
  useCase: listMedia,
  present: ({ items, nextCursor }) => ({ data: items.map(presentMedia), next_cursor: nextCursor }),
});
