import { setTimeout as pause } from 'node:timers/promises';
import { ok, refuse, type Session } from '@switchboard/domain';
import type { AdapterResult } from './platform-client.js';

const LATER_SECONDS = 60;

export type ProcessingState = 'ready' | 'processing' | 'failed';

export interface ReadinessCheck {
  /** The platform's name. */
  readonly name: string;
  /** Before each look, in milliseconds. What takes longer than all of them is left to a later attempt. */
  readonly delaysMs: readonly number[];
  /** Null: there is nothing (any more) that could become ready. */
  readonly look: () => AdapterResult<ProcessingState | null>;
}

/** Waits for media that a platform processes after it has taken them. */
export async function waitUntilReady(
  { signal }: Pick<Session, 'signal'>,
  { name, delaysMs, look }: ReadinessCheck,
): AdapterResult<undefined> {
  for (const ms of delaysMs) {
    // Being called off ends the pause; the look after it says so.
    if (ms > 0) await pause(ms, undefined, { signal }).catch(() => undefined);
    const seen = await look();
    if (!seen.ok) return seen;
    if (seen.value === 'ready') return ok();
    if (seen.value === 'failed') return refuse('platform.refused', `${name} can make nothing of this file.`);
    if (seen.value === null)
      return refuse('platform.unavailable', `${name} lost media while it processed them.`);
  }
  return refuse('platform.unavailable', `${name} is still processing the media.`, {
    retryAfterSeconds: LATER_SECONDS,
  });
}
