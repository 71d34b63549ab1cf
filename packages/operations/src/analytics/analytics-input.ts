import { z } from 'zod';
import { id, platformIds, timezone } from '../shapes.js';

const yearOf = (text: string) => Number(text.slice(0, 4));
/**
 * Nothing was published before 1970; dates after 9998 reach years that the database cannot store in every
 * time zone.
 */
const date = z.iso
  .date()
  .refine((text) => !(yearOf(text) < 1970 || yearOf(text) > 9998), 'a date of the years 1970 to 9998')
  .meta({ examples: ['2026-11-01'] });

export const rangeInput = {
  from: date.describe('First day.').optional(),
  to: date.describe('Last day.').optional(),
  timezone: timezone.describe('Default: the profile’s.').optional(),
};

export const sourceInput = {
  profile_id: id('prf_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
  connection_id: id('con_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
  platform: platformIds.optional(),
};
