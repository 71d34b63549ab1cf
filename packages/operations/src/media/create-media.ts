import { createMedia, ReceivedFile } from '@switchboard/domain/media';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { altText, exampleMedia, mediaShape, presentMedia } from './media-shape.js';

export default defineOperation({
  name: 'createMedia',
  summary: 'Upload an image, a video or a PDF, or import it from a URL.',
  guidance:
    'Send a file as multipart/form-data: JPEG, PNG, GIF, WebP or AVIF to 25 MiB, MP4, QuickTime or WebM to 1 GiB, PDF to 100 MiB without encryption. The type is detected from the content, not declared. Or send JSON with an https:// url: it is fetched in the background, and posts may use the media before it is ready.\n\nWhen 50 files or 50 URLs of a workspace are waiting, the response is 429: retry after `retry_after_seconds`.\n\nTo repeat an upload with its `Idempotency-Key`, send the same file: the response is the stored one.',
  scope: 'posts:write',
  effect: 'create',
  boundary: 'atomic',
  http: { method: 'post', path: '/social/media', status: 201 },
  body: 'stream',
  input: z.strictObject({
    file: z
      .custom<ReceivedFile>((value) => value instanceof ReceivedFile, 'a file, in multipart/form-data')
      .meta({ type: 'string', format: 'binary' })
      .optional(),
    url: z
      .string()
      .max(2048)
      .optional()
      .meta({ examples: ['https://files.example.com/cat.jpg'] }),
    alt_text: altText.optional(),
  }),
  output: mediaShape,
  failures: [
    'media.type_unsupported',
    'media.unreadable',
    'media.url_invalid',
    'request.too_large',
    'request.unsupported_media_type',
  ],
  example: {
    input: { url: 'https://files.example.com/cat.jpg', alt_text: 'A cat on a windowsill' },
    output: exampleMedia,
  },
  sentence: ({ id, status }) => `Media ${id} is ${status}.`,
  useCase: createMedia,
  present: presentMedia,
});
