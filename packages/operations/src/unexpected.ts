import { failure, type Effect, type Failure } from '@switchboard/domain';

/** A database that is away is the operator's to mend and worth a retry; anything else is a bug of ours. Neither says more. */
export function unexpected(
  error: unknown,
  effect: Effect = 'none',
): Failure<'service.unavailable' | 'internal.error'> {
  return isAway(error)
    ? failure(
        'service.unavailable',
        `The database cannot be reached. ${effect === 'none' ? 'Try again in a moment.' : PERHAPS}`,
        {
          retryAfterSeconds: 5,
          effect,
        },
      )
    : failure(
        'internal.error',
        `Something went wrong on our side. ${effect === 'none' ? 'The request id names it in our log.' : PERHAPS}`,
        { effect },
      );
}

const PERHAPS = 'It may have been done: look before you ask again, or use the same idempotency key.';

/** Node's, PostgreSQL's (connection exceptions, shut-down, too many connections) and Prisma's codes for "nobody there". */
const codes =
  /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|08|57P0|53300|P100[0128]|P1017|P2024|P2028)/;
const kinds = ['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'];
/** What the PostgreSQL client says without a code. */
const words =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying)/;

interface Told {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown } | undefined;
}

/** Looks through what wraps it: Prisma tells of a lost connection in what its driver adapter was told. */
export function isAway(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const { code, originalCode, kind, message, cause, meta } = error as Told;
  return (
    [code, originalCode].some((each) => typeof each === 'string' && codes.test(each)) ||
    (typeof kind === 'string' && kinds.includes(kind)) ||
    (typeof message === 'string' && words.test(message)) ||
    isAway(cause, depth + 1) ||
    isAway(meta?.driverAdapterError, depth + 1)
  );
}
