import { refuse, type Failure, type FailureCode } from '../failure.js';
import { nextCall } from '../next-call.js';
import { refuseWith, type Result } from '../result.js';
import type { Connection } from './connection.js';

type ConnectionRef = Pick<Connection, 'id'>;

export const needsReauth = (
  { id }: ConnectionRef,
  message = 'The account must be reconnected before it can be used.',
) => refuse('connection.needs_reauth', message, { next: nextCall.startConnect({ connection_id: id }) });

/**
 * Adds the reconnect call to failures that only the account owner can fix: an adapter does not know the
 * connection.
 */
export const withReconnectStep = <Value, Code extends FailureCode>(
  { id }: ConnectionRef,
  result: Result<Value, Code>,
): Result<Value, Code> =>
  result.ok || result.failure.next || !fixableByOwner.includes(result.failure.code)
    ? result
    : refuseWith<Code>({ ...result.failure, next: nextCall.startConnect({ connection_id: id }) });

const fixableByOwner: readonly Failure['code'][] = ['connection.needs_reauth', 'platform.permission_missing'];
