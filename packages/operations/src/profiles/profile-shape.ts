import type { Profile } from '@switchboard/domain/profiles';
import { z } from 'zod';
import { isoTime, time } from '../shapes.js';

export const profileShape = z.object({
  id: z.string(),
  name: z.string(),
  external_id: z.string().nullable(),
  timezone: z.string(),
  metadata: z.record(z.string(), z.string()),
  paused: z.boolean(),
  created_at: time,
});

export const presentProfile = (profile: Profile): z.input<typeof profileShape> => ({
  id: profile.id,
  name: profile.name,
  external_id: profile.externalId,
  timezone: profile.timezone,
  metadata: profile.metadata,
  paused: profile.paused,
  created_at: isoTime(profile.createdAt),
});

export const exampleProfile = {
  id: 'prf_01kah3v5w8e2m6r9t0x4y7z1ab',
  name: 'Lumen Coffee',
  external_id: 'customer-17',
  timezone: 'Europe/Madrid',
  metadata: { plan: 'pro' },
  paused: false,
  created_at: '2026-11-21T09:00:00.000Z',
};

export const profileFields = {
  name: z.string().trim().min(1).max(100),
  external_id: z.string().min(1).max(200),
};
