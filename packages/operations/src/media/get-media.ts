import { getMedia } from '@switchboard/domain/media';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { exampleMedia, mediaShape, presentMedia } from './media-shape.js';

export default defineOperation({
  name: 'getMedia',
  summary: 'Get an image, video or document and its processing status.',
  guidance: 'Poll while its status is processing; error says why processing failed.',
  scope: 'posts:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'admin',
  http: { method: 'get', path: '/social/media/:id', status: 200 },
  input: z.strictObject({ id: id(exampleMedia.id) }),
  output: mediaShape,
  failures: ['media.not_found'],
  example: { input: { id: exampleMedia.id }, output: exampleMedia },
  sentence: ({ id, status }) => `Media ${id} is ${status}.`,
  useCase: getMedia,
  present: presentMedia,
});
