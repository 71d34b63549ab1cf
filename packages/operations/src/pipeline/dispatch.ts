import { ok, type Call, type Effect, type Failure, type Result, type Surface } from '@switchboard/domain';
import { authorize, checkRateLimit, identifyCaller, type ApiKey } from '@switchboard/domain/access';
import type { RateLimitDecision, Ports } from '@switchboard/domain/ports';

import { createErrorResponse, type OperationResponse } from './operation-response.js';
import { countRefusal } from './audit.js';
import type { Operation } from '../define.js';
import { openIdempotencyRecord } from './open-idempotency-record.js';
import { parseInput, type ParsedInput } from './parse.js';
import { runOperation } from './run-operation.js';
import { runWithWait } from './run-with-wait.js';
import { isDatabaseUnreachable, isQueryCanceled, toUnexpectedFailure } from './to-unexpected-failure.js';

/**
 * A call as the transport hands it over: everything is still unread, so that dispatch defines the order of
 * checks.
 */
export interface Envelope {
  readonly surface: Surface;
  readonly requestId: string;
  readonly authorization: string | undefined;
  /** The client address, as far as trusted proxies report it; stdio is loopback. */
  readonly address: string | undefined;
  /**
   * Reads the input; called only for an authorized key. Failures of the transport itself (malformed JSON,
   * body too large) come from here.
   */
  readonly readInput: (key: ApiKey) => Promise<Result<unknown>>;
  readonly idempotencyKey?: string | undefined;
  /** The trace of the caller (W3C Trace Context). */
  readonly traceContext?:
    | { readonly traceparent: string | undefined; readonly tracestate?: string | undefined }
    | undefined;
  readonly ifMatch?: string | undefined;
  readonly waitSeconds?: number | undefined;
  /** False when the transport set `waitSeconds` to the default of the operation. */
  readonly requestsWait?: boolean | undefined;
  readonly onProgress?: Call['onProgress'];
  /** Whether a person confirmed the call, where one can be prompted. */
  readonly confirmed?: boolean | undefined;
  /** Set when the request was already counted against the quotas, because its transport counts messages. */
  readonly allowance?: RateLimitDecision | undefined;
  readonly signal: AbortSignal;
}

/** The record of every finished call, for logs and metrics. */
export interface CallRecord {
  readonly operation: string;
  readonly surface: Surface;
  readonly requestId: string;
  readonly workspaceId: string | null;
  readonly keyId: string | null;
  readonly outcome: string;
  readonly durationMs: number;
}

export interface CallObserver {
  onCall(record: CallRecord): void;
  /** An unexpected exception: a bug or an infrastructure failure. */
  onError(error: unknown, requestId: string): void;
  /** Reports that a key was used; recorded in batches. */
  onKeyUsed(key: ApiKey): void;
}

export type Dispatch = (operation: Operation, envelope: Envelope) => Promise<OperationResponse>;

/**
 * The single path of every call, for every transport: identify → authorize → limit → parse → idempotency →
 * run → present → record.
 */
export function createDispatcher(ports: Ports, observer: CallObserver): Dispatch {
  return async (operation, envelope) => {
    const startedMs = ports.clock.now().getTime();
    let key: ApiKey | null = null;
    const commitState: CommitState = { mayHaveCommitted: false };
    let allowance: RateLimitDecision | null = null;
    let response: OperationResponse;
    try {
      const identified = await identifyCaller(ports, envelope);
      key = identified.namedKey;
      // Counted before the key is checked, so that a rejected call costs as much as an accepted one.
      if (identified.result.ok)
        allowance = envelope.allowance ?? (await ports.limits.take(identified.result.value));
      response = await respondTo(operation, envelope, identified.result, allowance, commitState);
      // The failure is returned whether or not it could be recorded.
      if (response.failure)
        await countRefusal(ports, operation, envelope, identified, response.failure).catch((error: unknown) =>
          observer.onError(error, envelope.requestId),
        );
    } catch (error) {
      // A query that was canceled because its caller has disconnected is not an error.
      if (!envelope.signal.aborted || !isQueryCanceled(error)) observer.onError(error, envelope.requestId);
      response = createErrorResponse(
        toUnexpectedFailure(error, effectOf(operation, commitState, error)),
        envelope.requestId,
      );
    }
    observer.onCall({
      operation: operation.name,
      surface: envelope.surface,
      requestId: envelope.requestId,
      workspaceId: key?.workspaceId ?? null,
      keyId: key?.id ?? null,
      outcome: outcomeOf(response),
      durationMs: ports.clock.now().getTime() - startedMs,
    });
    if (key && operation.redact) response = operation.redact(response, key);
    return { ...response, allowance, scopes: key?.scopes ?? [] };
  };

  async function respondTo(
    operation: Operation,
    envelope: Envelope,
    identified: Result<ApiKey>,
    allowance: RateLimitDecision | null,
    commitState: CommitState,
  ): Promise<OperationResponse> {
    const refuse = (no: Failure) => createErrorResponse(no, envelope.requestId);
    if (!identified.ok) return refuse(identified.failure);
    const key = identified.value;
    observer.onKeyUsed(key);
    const authorized = authorize(key, operation);
    if (!authorized.ok) return refuse(authorized.failure);
    const limited = allowance ? checkRateLimit(operation, allowance) : ok();
    if (!limited.ok) return refuse(limited.failure);

    const raw = await envelope.readInput(key);
    if (!raw.ok) return refuse(raw.failure);
    const parsed = parseInput(operation, envelope.surface, raw.value);
    if (!parsed.ok) return refuse(parsed.failure);

    return runIdempotently(operation, envelope, key, parsed.value, commitState);
  }

  async function runIdempotently(
    operation: Operation,
    envelope: Envelope,
    key: ApiKey,
    input: ParsedInput,
    commitState: CommitState,
  ): Promise<OperationResponse> {
    const refuse = (no: Failure) => createErrorResponse(no, envelope.requestId);
    const call: Call = {
      requestId: envelope.requestId,
      surface: envelope.surface,
      workspaceId: key.workspaceId,
      actor: { kind: 'key', key },
      signal: envelope.signal,
      address: envelope.address,
      waitSeconds: envelope.waitSeconds ?? operation.waitSeconds,
      requestsWait: envelope.requestsWait ?? envelope.waitSeconds !== undefined,
      onProgress: envelope.onProgress,
      ifMatch: envelope.ifMatch,
      confirmed: envelope.confirmed,
    };
    const idempotency = await openIdempotencyRecord(ports, operation, call, input, envelope.idempotencyKey);
    if (!idempotency.ok) return refuse(idempotency.failure);
    const { token } = idempotency.value;
    // Steps after a committed one are not canceled: they record it.
    const signal = operation.boundary === 'staged' ? null : envelope.signal;
    const run = (waitSeconds: number) =>
      ports.callerQueries.run({ workspaceId: key.workspaceId, signal }, () =>
        runOperation(
          ports,
          operation,
          { ...call, waitSeconds, idempotency: token },
          input.command,
          idempotency.value,
          () => {
            commitState.mayHaveCommitted = true;
          },
        ),
      );
    const response = await runWithWait(ports, operation, call, {
      run,
      idempotency: idempotency.value,
      requestsWait: envelope.waitSeconds !== undefined,
      onWaitError: (error) => observer.onError(error, envelope.requestId),
    });
    const { failure } = response;
    return failure && operation.onRefusal ? refuse(operation.onRefusal(failure, input.wire)) : response;
  }
}

/**
 * Whether anything may have been committed. An intent is committed before any byte is sent, so before that
 * nothing has happened.
 */
interface CommitState {
  mayHaveCommitted: boolean;
}

/**
 * An exception rolls one transaction back, unless its commit was sent and not acknowledged; several steps are
 * not rolled back.
 */
function effectOf(
  { effect, boundary }: Operation,
  { mayHaveCommitted }: CommitState,
  error: unknown,
): Effect {
  if (!mayHaveCommitted || effect === 'read') return 'none';
  return boundary === 'staged' || isDatabaseUnreachable(error) ? 'unknown' : 'none';
}

/** A replayed failure is still a failure. */
function outcomeOf({ status, value, failure }: OperationResponse): string {
  if (failure) return failure.code;
  return status >= 400 && typeof value['code'] === 'string' ? value['code'] : 'ok';
}
