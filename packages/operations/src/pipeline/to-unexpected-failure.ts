import { failure, type Effect, type Failure } from '@switchboard/domain';

/**
 * An unreachable or slow database is for the operator to fix and worth a retry; anything else is a bug of
 * ours. Neither reveals details.
 */
export function toUnexpectedFailure(
  error: unknown,
  effect: Effect = 'none',
): Failure<'service.unavailable' | 'internal.error'> {
  const isSlow = isQueryCanceled(error);
  if (!isSlow && !isDatabaseUnreachable(error)) {
    const what = 'Internal error.';
    return failure(
      'internal.error',
      `${what} ${effect === 'none' ? 'The request id identifies it in the log.' : LOOK_BEFORE_RETRY}`,
      { effect },
    );
  }
  const what = isSlow ? 'The database took too long to respond.' : 'The database cannot be reached.';
  const next = isSlow ? 'Retry shortly, or request less at once.' : 'Try again in a moment.';
  return failure('service.unavailable', `${what} ${effect === 'none' ? next : LOOK_BEFORE_RETRY}`, {
    retryAfterSeconds: 5,
    effect,
  });
}

const LOOK_BEFORE_RETRY =
  'The outcome is unknown: check before you retry, or retry with the same idempotency key.';

/**
 * The codes of Node.js, PostgreSQL (connection exceptions, shutdown, too many connections) and Prisma for an
 * unreachable database.
 */
const unreachableCodes =
  /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|08|57P0|53300|P100[0128]|P1017|P2024|P2028)/;
const unreachableKinds = ['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'];
/** The messages of the PostgreSQL client that carry no code. */
const unreachableMessages =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying)/;

interface DriverError {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown } | undefined;
}

/**
 * PostgreSQL's `query_canceled`: the statement exceeded its timeout, or its caller has disconnected. Its
 * transaction is rolled back.
 */
export const isQueryCanceled = (error: unknown): boolean =>
  matchesAnyCause(
    error,
    ({ code, originalCode }) => code === QUERY_CANCELED || originalCode === QUERY_CANCELED,
  );
const QUERY_CANCELED = '57014';

export const isDatabaseUnreachable = (error: unknown): boolean =>
  matchesAnyCause(
    error,
    ({ code, originalCode, kind, message }) =>
      [code, originalCode].some((each) => typeof each === 'string' && unreachableCodes.test(each)) ||
      (typeof kind === 'string' && unreachableKinds.includes(kind)) ||
      (typeof message === 'string' && unreachableMessages.test(message)),
  );

/** Looks through wrapped errors: Prisma reports a database error in the cause of its driver adapter error. */
function matchesAnyCause(error: unknown, matches: (driverError: DriverError) => boolean, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const driverError = error as DriverError;
  return (
    matches(driverError) ||
    matchesAnyCause(driverError.cause, matches, depth + 1) ||
    matchesAnyCause(driverError.meta?.driverAdapterError, matches, depth + 1)
  );
}
