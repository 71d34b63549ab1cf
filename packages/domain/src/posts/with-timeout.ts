import { refuse, type FailureCode } from '../failure.js';
import type { Clock } from '../ports/index.js';
import type { Result } from '../result.js';

/** How long an adapter may take to notice that its time is over. */
const ABORT_GRACE_MS = 2000;

/** An adapter that does not heed its deadline does not hold a worker for ever: nobody knows then what became of its request. */
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
      .then(() => refuse('platform.outcome_unknown', 'The platform did not answer in time.'));
    return await Promise.race([work, overdue]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
