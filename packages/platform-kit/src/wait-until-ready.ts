import { setTimeout as pause } from 'node:timers/promises';
import { ok, refuse, type Refusal } from '@switchboard/domain';
import type { PlatformFailureCode, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from './platform-client.js';

const LATER_SECONDS = 60;

/** A refusal is failed processing, with the platform's own message. */
export type ProcessingState = 'ready' | 'processing' | 'failed' | Refusal<PlatformFailureCode>;

interface ReadinessCheck {
  /** The platform's name. */
  readonly name: string;
  /**
   * The delays before each poll, in milliseconds. Processing that takes longer than all of them is left to a
   * later attempt.
   */
  readonly delaysMs: readonly number[];
  /** Null: there is nothing, or no longer anything, to wait for. */
  readonly look: () => AdapterResult<ProcessingState | null>;
}

/** Waits for media that a platform processes after the upload. */
export async function waitUntilReady(
  { signal }: Pick<Session, 'signal'>,
  { name, delaysMs, look }: ReadinessCheck,
): AdapterResult<undefined> {
  for (const ms of delaysMs) {
    // An abort ends the delay; the following poll reports it.
    if (ms > 0) await pause(ms, undefined, { signal }).catch(() => undefined);
    const seen = await look();
    if (!seen.ok) return seen;
    if (seen.value === 'ready') return ok();
    if (seen.value === null)
      return refuse('platform.unavailable', `${name} lost the media while processing it.`);
    if (seen.value !== 'processing') return processingRefusal(name, seen.value);
  }
  return refuse('platform.unavailable', `${name} is still processing the media.`, {
    retryAfterSeconds: LATER_SECONDS,
  });
}

export const processingRefusal = (
  name: string,
  failed: 'failed' | Refusal<PlatformFailureCode>,
): Refusal<PlatformFailureCode> =>
  failed === 'failed' ? refuse('platform.refused', `${name} cannot process this file.`) : failed;
