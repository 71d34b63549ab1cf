import { createMediaUpload } from '@switchboard/domain/media';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { unreachableLinkNotice } from '../unreachable-link-notice.js';
import { components, isoTime, time } from '../shapes.js';
import { altText, exampleMedia } from './media-shape.js';

export default defineOperation({
  name: 'createMediaUpload',
  summary: 'Create an upload URL for one image, video or PDF, valid for an hour.',
  guidance: 'PUT the file to url with headers, without an API key; posts may use media_id at once.',
  scope: 'posts:write',
  effect: 'create',
  boundary: 'atomic',
  toolset: 'social',
  http: { method: 'post', path: '/social/media/uploads', status: 201 },
  input: z.strictObject({
    type: z
      .string()
      .max(100)
      .meta({ examples: ['image/png'], description: 'Media type.' }),
    bytes: z.int().min(1).describe('Exact size.'),
    alt_text: altText.optional(),
  }),
  output: z
    .object({
      media_id: z.string(),
      url: z.string(),
      method: z.string(),
      headers: z.record(z.string(), z.string()),
      expires_at: time,
      served: z.boolean(),
    })
    .register(components, { id: 'MediaUpload' }),
  failures: ['media.type_unsupported', 'request.too_large'],
  example: {
    input: { type: 'image/jpeg', bytes: exampleMedia.bytes, alt_text: 'A cat on a windowsill' },
    output: {
      media_id: exampleMedia.id,
      url: 'https://switchboard.example.com/media/uploads/4Jx0…',
      method: 'PUT',
      headers: { 'Content-Type': 'image/jpeg' },
      expires_at: '2026-11-21T10:00:00.000Z',
      served: true,
    },
  },
  sentence: ({ url, media_id, served }) =>
    `${unreachableLinkNotice(served)}PUT the file to ${url}; its id is ${media_id}.`,
  object: ({ mediaId }) => mediaId,
  useCase: createMediaUpload,
  present: ({ mediaId, url, headers, expiresAt }, { ports: { settings } }) => ({
    media_id: mediaId,
    url,
    method: 'PUT',
    headers: { ...headers },
    expires_at: isoTime(expiresAt),
    served: settings.hostedPages,
  }),
});
