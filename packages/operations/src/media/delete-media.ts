import { deleteMedia } from '@switchboard/domain/media';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id, noContent } from '../shapes.js';
import { exampleMedia } from './media-shape.js';

export default defineOperation({
  name: 'deleteMedia',
  summary: 'Delete an image, video or document with its bytes.',
  guidance: 'Rejected while an unsettled post or a draft uses it. Published posts are not affected.',
  scope: 'posts:write',
  effect: 'delete',
  boundary: 'staged',
  staysLocal: true,
  toolset: 'admin',
  http: { method: 'delete', path: '/social/media/:id', status: 204 },
  input: z.strictObject({ id: id(exampleMedia.id) }),
  output: noContent,
  failures: ['media.not_found', 'media.in_use'],
  example: { input: { id: exampleMedia.id }, output: {} },
  sentence: () => 'Deleted the media.',
  object: ({ id }) => id,
  useCase: deleteMedia,
  present: () => ({}),
});
