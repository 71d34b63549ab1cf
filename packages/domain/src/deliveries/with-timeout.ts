import { refuse, type FailureCode } from '../failure.js';
import type { Clock } from '../ports/index.js';
import type { Result } from '../result.js';

/** How long an adapter may take to react to its abort signal. */
const ABORT_GRACE_MS = 2000;

/**
 * Limits the time of an adapter that ignores its deadline, so that it does not block a worker indefinitely:
 * the outcome of its request is then unknown.
 */
export async function withTimeout<Value, Code extends FailureCode>(
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
  work: Promise<Result<Value, Code>>,
): Promise<Result<Value, Code | 'platform.outcome_unknown'>> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const overdue = ended
      .then(() => clock.sleep(ABORT_GRACE_MS))
      .then(() => refuse('platform.outcome_unknown', 'The platform did not respond in time.'));
    return await Promise.race([work, overdue]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
