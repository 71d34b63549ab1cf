import { setTimeout as pause } from 'node:timers/promises';
import { ok, refuse, type Session } from '@switchboard/domain';
import type { Answer } from './answers.js';

const LATER_SECONDS = 60;

export type Progress = 'ready' | 'processing' | 'failed';

export interface Processing {
  /** The platform's name. */
  readonly name: string;
  /** Before each look, in milliseconds. What takes longer than all of them is left to a later attempt. */
  readonly pausesMs: readonly number[];
  /** Null: there is nothing (any more) that could become ready. */
  readonly look: () => Answer<Progress | null>;
}

/** Waits for media that a platform processes after it has taken them. */
export async function untilReady(
  { signal }: Pick<Session, 'signal'>,
  { name, pausesMs, look }: Processing,
): Answer<undefined> {
  for (const ms of pausesMs) {
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
