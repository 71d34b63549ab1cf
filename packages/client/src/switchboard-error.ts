import type { Problem } from './generated/api.js';

/** A response with a failure, as an exception. */
export class SwitchboardError extends Error {
  override readonly name = 'SwitchboardError';
  readonly status: number;
  /** Null when the response does not come from Switchboard, but for example from a proxy. */
  readonly problem: Problem | null;

  constructor({ status, statusText }: Response, problem: unknown) {
    const details = isProblem(problem) ? problem : null;
    super(details ? `${details.code}: ${details.detail}` : `${status} ${statusText}`);
    this.status = status;
    this.problem = details;
  }
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;

interface Result<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of a response; a failure is thrown as a `SwitchboardError`. */
export function unwrap<Data>({ data, error, response }: Result<Data>): Data {
  if (!response.ok) throw new SwitchboardError(response, error);
  return data as Data;
}
