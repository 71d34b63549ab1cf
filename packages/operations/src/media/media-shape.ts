import { ALT_TEXT_MAX, expiresAt, type Media } from '@switchboard/domain/media';
import { z } from 'zod';
import { components, isoTime, isoTimeOrNull, time } from '../shapes.js';

export const mediaShape = z.object({
  id: z.string(),
  status: z.enum(['processing', 'ready', 'failed']),
  type: z
    .string()
    .nullable()
    .describe('Detected type; null until the media is ready, like the following fields.'),
  width: z.int().nullable().describe('Null for a document, like height.'),
  height: z.int().nullable(),
  duration_seconds: z.number().nullable().describe('Videos only.'),
  bytes: z.int().nullable(),
  sha256: z.string().nullable(),
  alt_text: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  created_at: time,
  expires_at: time.nullable().describe('Null while a post uses it.'),
});
mediaShape.register(components, { id: 'Media' });

export const presentMedia = (media: Media): z.input<typeof mediaShape> => ({
  id: media.id,
  status: media.status,
  type: media.file?.type ?? null,
  width: media.file?.width ?? null,
  height: media.file?.height ?? null,
  duration_seconds: media.file?.durationSeconds ?? null,
  bytes: media.file?.bytes ?? null,
  sha256: media.file?.sha256 ?? null,
  alt_text: media.altText,
  error: media.error,
  created_at: isoTime(media.createdAt),
  expires_at: isoTimeOrNull(expiresAt(media)),
});

export const altText = z.string().max(ALT_TEXT_MAX).describe('For people who cannot see it.');

export const exampleMedia = {
  id: 'med_01kah3v5w8e2m6r9t0x4y7z1ab',
  status: 'ready' as const,
  type: 'image/jpeg',
  width: 1600,
  height: 1200,
  duration_seconds: null,
  bytes: 483_112,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  alt_text: 'A cat on a windowsill',
  error: null,
  created_at: '2026-11-21T09:00:00.000Z',
  expires_at: '2026-12-21T09:00:00.000Z',
};
