import { weekdays, type QueueView } from '@switchboard/domain/posts';
import { z } from 'zod';
import { components, isoTime, time } from '../shapes.js';

const slot = {
  weekday: z.enum(weekdays),
  time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 09:00')
    .meta({ examples: ['09:00'] }),
};
export const slotsInput = z.array(z.strictObject(slot)).max(168).describe('Times of the week.');

export const queueShape = z.object({
  timezone: z.string(),
  slots: z.array(z.object(slot)),
  coming: z.array(z.object({ at: time, post_id: z.string().optional() })),
});
queueShape.register(components, { id: 'PostingQueue' });

export const presentQueue = ({ timezone, slots, coming }: QueueView): z.input<typeof queueShape> => ({
  timezone,
  slots: [...slots],
  coming: coming.map(({ at, postId }) => ({ at: isoTime(at), ...(postId && { post_id: postId }) })),
});

export const exampleQueue: z.input<typeof queueShape> = {
  timezone: 'Europe/Madrid',
  slots: [
    { weekday: 'monday', time: '09:00' },
    { weekday: 'thursday', time: '18:30' },
  ],
  coming: [
    { at: '2026-11-23T08:00:00.000Z', post_id: 'pst_01kah3v5w8e2m6r9t0x4y7z1ab' },
    { at: '2026-11-26T17:30:00.000Z' },
  ],
};
