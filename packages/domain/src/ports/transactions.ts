import type { FailureCode } from '../failure.js';
import type { Result } from '../result.js';
import type { Tx } from './index.js';

/**
 * State, event, audit row, job and idempotency claim commit together or not at all: `run` commits when `work` answers ok
 * and rolls back when it answers a failure or throws. `Tx` holds no platform, vault or HTTP, so a network call inside a
 * transaction does not compile. `work` may run again after a serialisation failure: it changes nothing but through `tx`.
 * One that lasts is undone, so that nobody waits for its locks for long; `lasting` is for an operator's work on a great many rows.
 */
export interface Transactions {
  run<Value, Code extends FailureCode>(
    work: (tx: Tx) => Promise<Result<Value, Code>>,
    duration?: 'lasting',
  ): Promise<Result<Value, Code>>;
}
