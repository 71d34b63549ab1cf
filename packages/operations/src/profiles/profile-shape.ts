import type { Profile } from '@switchboard/domain/profiles';
import { z } from 'zod';
import { pauseShape, presentPause } from '../pauses/pause-shape.js';
import { components, time } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';

export const profileShape = z.object({
  id: z.string(),
  name: z.string(),
  external_id: z.string().nullable(),
  timezone: z.string(),
  metadata: z.record(z.string(), z.string()),
  paused: z.boolean(),
  pause: pauseShape.nullable(),
  created_at: time,
});
profileShape.register(components, { id: 'Profile' });

export const presentProfile = (profile: Profile): z.input<typeof profileShape> => ({
  ...toWireFormat(profile),
  paused: profile.pause !== null,
  pause: presentPause(profile.pause),
});

export const exampleProfile = {
  id: 'prf_01kah3v5w8e2m6r9t0x4y7z1ab',
  name: 'Lumen Coffee',
  external_id: 'customer-17',
  timezone: 'Europe/Madrid',
  metadata: { plan: 'pro' },
  paused: false,
  pause: null,
  created_at: '2026-11-21T09:00:00.000Z',
};

export const profileFields = {
  name: z.string().trim().min(1).max(100).describe('Name of the profile.'),
  external_id: z.string().min(1).max(200).describe('Your own id.'),
};
