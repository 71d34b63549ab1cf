import type { MediaRules } from '@switchboard/domain/connections';
import { z } from 'zod';
import { components } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';

/**
 * Sizes in bytes and pixels, durations in seconds, ratios width by height; an absent field means no limit of
 * its own. An image that is `cover_only` is only accepted with a video.
 */
export const mediaShape = z.object({
  max: z.int(),
  mixed: z.boolean(),
  required: z.boolean(),
  images: z
    .object({
      max: z.int(),
      types: z.array(z.string()),
      max_bytes: z.int(),
      max_pixels: z.int().optional(),
      max_width: z.int().optional(),
      max_height: z.int().optional(),
      min_aspect_ratio: z.number().optional(),
      max_aspect_ratio: z.number().optional(),
      cover_only: z.boolean().optional(),
    })
    .nullable(),
  videos: z
    .object({
      max: z.int(),
      types: z.array(z.string()),
      max_bytes: z.int(),
      min_seconds: z.number().optional(),
      max_seconds: z.number().optional(),
    })
    .nullable(),
  documents: z.object({ max: z.int(), types: z.array(z.string()), max_bytes: z.int() }).nullable(),
  alt_text_max: z.int().nullable(),
});
mediaShape.register(components, { id: 'MediaRules' });

export const presentMediaRules = (rules: MediaRules): z.input<typeof mediaShape> => toWireFormat(rules);

export const exampleMediaRules: z.input<typeof mediaShape> = {
  max: 4,
  mixed: false,
  required: false,
  images: { max: 4, types: ['image/jpeg', 'image/png', 'image/webp'], max_bytes: 2_000_000 },
  videos: { max: 1, types: ['video/mp4'], max_bytes: 300_000_000 },
  documents: null,
  alt_text_max: 2000,
};
