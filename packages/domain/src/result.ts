import type { Failure, FailureCode } from './failure.js';

/**
 * The outcome of an operation that may be refused. An expected refusal is a value; `throw` indicates a bug or
 * a failed machine.
 */
export type Result<Value, Code extends FailureCode = FailureCode> = Ok<Value> | Refusal<Code>;

export interface Ok<Value> {
  readonly ok: true;
  readonly value: Value;
}

export interface Refusal<Code extends FailureCode = FailureCode> {
  readonly ok: false;
  readonly failure: Failure<Code>;
}

export function ok(): Ok<undefined>;
export function ok<Value>(value: Value): Ok<Value>;
export function ok<Value>(value?: Value): Ok<Value | undefined> {
  return { ok: true, value };
}

export const refuseWith = <Code extends FailureCode>(failure: Failure<Code>): Refusal<Code> => ({
  ok: false,
  failure,
});
