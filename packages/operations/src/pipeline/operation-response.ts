import type { Failure } from '@switchboard/domain';
import type { Scope } from '@switchboard/domain/access';
import type { RateLimitDecision } from '@switchboard/domain/ports';
import { toProblemDetails } from './problem-details.js';

/**
 * The response: the status and the exact bytes of the body, stored for replays, and the same as a value. The body is
 * written when it is first needed: a tool that returns a compact response never does.
 */
export interface OperationResponse {
  readonly status: number;
  /** JSON text; empty for 204. */
  readonly body: () => string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Null for a success and for a replay. */
  readonly failure: Failure | null;
  readonly replayed: boolean;
  readonly etag: string | null;
  /**
   * False when the caller wanted to wait and is answered immediately: every waiting slot of its workspace was in
   * use, or the stored response of an earlier request is repeated as it is.
   */
  readonly waited?: false;
  /** The remaining quotas of the key; null when the key is unknown. */
  readonly allowance: RateLimitDecision | null;
  /** The scopes of the calling key: not every transport offers a next call that the key may not make. */
  readonly scopes: readonly Scope[];
}

export const createErrorResponse = (failure: Failure, requestId: string): OperationResponse => {
  const value = toProblemDetails(failure, requestId);
  return {
    status: value.status,
    body: writeOnce(value),
    value,
    failure,
    replayed: failure.replayed ?? false,
    etag: null,
    allowance: null,
    scopes: [],
  };
};

export const createSuccessResponse = (
  status: number,
  value: Readonly<Record<string, unknown>>,
  etag: string | null,
): OperationResponse => ({
  status,
  body: status === 204 ? () => '' : writeOnce(value),
  value,
  failure: null,
  replayed: false,
  etag,
  allowance: null,
  scopes: [],
});

export const createReplayResponse = (
  status: number,
  body: string,
  etag: string | null,
): OperationResponse => ({
  status,
  body: () => body,
  value: body === '' ? {} : (JSON.parse(body) as Record<string, unknown>),
  failure: null,
  replayed: true,
  etag,
  allowance: null,
  scopes: [],
});

/** The JSON of a value that does not change. */
export function writeOnce(value: unknown): () => string {
  let json: string | undefined;
  return () => (json ??= JSON.stringify(value));
}
