import { failure, type Failure } from '@switchboard/domain';

/** A database that is away is the operator's to mend and worth a retry; anything else is a bug of ours. Neither says more. */
export function unexpected(error: unknown): Failure<'service.unavailable' | 'internal.error'> {
  const code = (error as { code?: unknown } | null)?.code;
  const away = typeof code === 'string' && /^(ECONN|ENOTFOUND|ETIMEDOUT|57P0|P100|P2024|08)/.test(code);
  return away
    ? failure('service.unavailable', 'The database cannot be reached. Try again in a moment.', {
        retryAfterSeconds: 5,
      })
    : failure('internal.error', 'Something went wrong on our side. The request id names it in our log.');
}
