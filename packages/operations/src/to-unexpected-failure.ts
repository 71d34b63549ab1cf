import { failure, type Effect, type Failure } from '@switchboard/domain';

/** A database that is away or too slow is the operator's to mend and worth a retry; anything else is a bug of ours. Neither says more. */
export function toUnexpectedFailure(
  error: unknown,
  effect: Effect = 'none',
): Failure<'service.unavailable' | 'internal.error'> {
  const isSlow = isQueryCanceled(error);
  if (!isSlow && !isDatabaseUnreachable(error)) {
    const what = 'Something went wrong on our side.';
    return failure(
      'internal.error',
      `${what} ${effect === 'none' ? 'The request id names it in our log.' : LOOK_BEFORE_RETRY}`,
      { effect },
    );
  }
  const what = isSlow ? 'The database took too long to answer.' : 'The database cannot be reached.';
  const next = isSlow ? 'Try again in a moment, or ask for less at once.' : 'Try again in a moment.';
  return failure('service.unavailable', `${what} ${effect === 'none' ? next : LOOK_BEFORE_RETRY}`, {
    retryAfterSeconds: 5,
    effect,
  });
}

const LOOK_BEFORE_RETRY = 'It may have been done: look before you ask again, or use the same idempotency key.';

/** Node's, PostgreSQL's (connection exceptions, shut-down, too many connections) and Prisma's codes for "nobody there". */
const unreachableCodes =
  /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|08|57P0|53300|P100[0128]|P1017|P2024|P2028)/;
const unreachableKinds = ['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'];
/** What the PostgreSQL client says without a code. */
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

/** PostgreSQL's `query_canceled`: the statement exceeded its timeout, or its caller has disconnected. Its transaction is undone. */
export const isQueryCanceled = (error: unknown): boolean =>
  matchesAnyCause(error, ({ code, originalCode }) => code === QUERY_CANCELED || originalCode === QUERY_CANCELED);
const QUERY_CANCELED = '57014';

export const isDatabaseUnreachable = (error: unknown): boolean =>
  matchesAnyCause(
    error,
    ({ code, originalCode, kind, message }) =>
      [code, originalCode].some((each) => typeof each === 'string' && unreachableCodes.test(each)) ||
      (typeof kind === 'string' && unreachableKinds.includes(kind)) ||
      (typeof message === 'string' && unreachableMessages.test(message)),
  );

/** Looks through what wraps it: Prisma reports an error of the database in what its driver adapter was told. */
function matchesAnyCause(error: unknown, matches: (driverError: DriverError) => boolean, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const driverError = error as DriverError;
  return (
    matches(driverError) ||
    matchesAnyCause(driverError.cause, matches, depth + 1) ||
    matchesAnyCause(driverError.meta?.driverAdapterError, matches, depth + 1)
  );
}
