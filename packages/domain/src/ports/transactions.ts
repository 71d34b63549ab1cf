import type { FailureCode } from '../failure.js';
import type { Result } from '../result.js';
import type { Tx } from './index.js';

/**
 * State, event, audit row, job and idempotency claim commit together or not at all: `run` commits when `work`
 * returns ok and rolls back when it returns a failure or throws. `Tx` has no platform, vault or HTTP, so a
 * network call inside a transaction does not compile. `work` may run again after a serialization failure: its
 * only side effects are through `tx`. A transaction that exceeds the time limit is rolled back, so that its
 * locks do not block others for long; `lasting` is for an operator's work on a large number of rows.
 */
export interface Transactions {
  run<Value, Code extends FailureCode>(
    work: (tx: Tx) => Promise<Result<Value, Code>>,
    duration?: 'lasting',
  ): Promise<Result<Value, Code>>;
}
