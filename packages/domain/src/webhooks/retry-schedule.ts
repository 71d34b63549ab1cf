import type { Tokens } from '../ports/tokens.js';

/** Seconds from each attempt that failed to the next; after the last one the delivery has failed. */
export type RetrySchedule = readonly number[];

const JITTER = 0.2;

/**
 * The delay after this attempt, up to 20 % longer or shorter: the same for the same attempt, so that a delivery
 * that is settled twice is due once. Null after the last attempt.
 */
export function retryDelaySeconds(
  tokens: Pick<Tokens, 'digest'>,
  schedule: RetrySchedule,
  { id, attempts }: { readonly id: string; readonly attempts: number },
): number | null {
  const delay = schedule[attempts - 1];
  if (delay === undefined) return null;
  const [byte = 128] = tokens.digest(`${id} ${attempts}`);
  return delay * (1 + JITTER * ((byte / 255) * 2 - 1));
}
