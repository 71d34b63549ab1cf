import { pauseCauses, pauseScopes, type Pause } from '@switchboard/domain/pauses';
import { z } from 'zod';
import { components, isoTime, time } from '../shapes.js';

export const pauseShape = z
  .object({
    cause: z.enum(pauseCauses),
    reason: z.string().nullable(),
    paused_by: z.string(),
    paused_at: time,
  })
  .register(components, { id: 'Pause' });

/** What holds a post or a refund. */
export const heldBy = z.enum(pauseScopes).register(components, { id: 'PauseScope' });

export const presentPause = (pause: Pause | null): z.input<typeof pauseShape> | null =>
  pause && { cause: pause.cause, reason: pause.reason, paused_by: pause.by, paused_at: isoTime(pause.at) };
