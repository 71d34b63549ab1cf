import { authorize, identify, ok, checkRateLimit } from '@switchboard/domain';
import type {
  RateLimitDecision,
  ApiKey,
  Call,
  Effect,
  Failure,
  Ports,
  Result,
  Surface,
} from '@switchboard/domain';
import { createErrorResponse, type OperationResponse } from './operation-response.js';
import { countRefusal } from './audit.js';
import { restartCursor } from './restart-cursor.js';
import type { Operation } from './define.js';
import { redactPlatformQuotes } from './redact-platform-quotes.js';
import { openIdempotencyRecord } from './open-idempotency-record.js';
import { parseInput, type ParsedInput } from './parse.js';
import { runOperation } from './run-operation.js';
import { waitUntilSettled } from './wait-until-settled.js';
import { isDatabaseUnreachable, isQueryCanceled, toUnexpectedFailure } from './to-unexpected-failure.js';
import { withWaitingSlot } from './with-waiting-slot.js';

/** A call as a wire hands it over: everything still unread, so that the order of judgement is dispatch's. */
export interface Envelope {
  readonly surface: Surface;
  readonly requestId: string;
  readonly authorization: string | undefined;
  /** Where it comes from, as far as trusted proxies tell; stdio is loopback. */
  readonly address: string | undefined;
  /** Reads the input; only called for a key that may. A wire's own refusals (malformed JSON, too large) come from here. */
  readonly readInput: (key: ApiKey) => Promise<Result<unknown>>;
  readonly idempotencyKey?: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly waitSeconds?: number | undefined;
  readonly onProgress?: Call['onProgress'];
  /** Whether a person said yes, where one can be asked. */
  readonly confirmed?: boolean | undefined;
  /** Where the request was taken from the quotas before it came here, because its transport counts messages. */
  readonly allowance?: RateLimitDecision | undefined;
  readonly signal: AbortSignal;
}

/** What is told of every call when it is over, for logs and metrics. */
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
  /** Something threw: a bug or a dead machine. */
  onError(error: unknown, requestId: string): void;
  /** A key was used; recorded in batches. */
  onKeyUsed(key: ApiKey): void;
}

export type Dispatch = (operation: Operation, envelope: Envelope) => Promise<OperationResponse>;

/** The one road of every call, whatever wire it came in on: identify → authorize → limit → parse → once → run → present → record. */
export function createDispatcher(ports: Ports, observer: CallObserver): Dispatch {
  return async (operation, envelope) => {
    const startedMs = ports.clock.now().getTime();
    let key: ApiKey | null = null;
    const commitState: CommitState = { mayHaveCommitted: false };
    let allowance: RateLimitDecision | null = null;
    let response: OperationResponse;
    try {
      const identified = await identify(ports, envelope);
      key = identified.namedKey;
      // Counted before it is judged, so that what is refused costs as much as what is not.
      if (identified.result.ok)
        allowance = envelope.allowance ?? (await ports.limits.take(identified.result.value));
      response = await respondTo(operation, envelope, identified.result, allowance, commitState);
      // The refusal stands, and says what happened, whether or not it could be noted.
      if (response.failure)
        await countRefusal(ports, operation, envelope, identified, response.failure).catch((error: unknown) =>
          observer.onError(error, envelope.requestId),
        );
    } catch (error) {
      // A query that was cancelled because its caller has disconnected is no fault.
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
    return { ...redactPlatformQuotes(response, operation, key), allowance, scopes: key?.scopes ?? [] };
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

    const requestedWaitSeconds = envelope.waitSeconds ?? operation.waitSeconds;
    return withWaitingSlot(ports, operation, key, requestedWaitSeconds, (waitSeconds) =>
      runIdempotently(operation, envelope, key, parsed.value, waitSeconds, commitState),
    );
  }

  async function runIdempotently(
    operation: Operation,
    envelope: Envelope,
    key: ApiKey,
    input: ParsedInput,
    waitSeconds: number,
    commitState: CommitState,
  ): Promise<OperationResponse> {
    const refuse = (no: Failure) => createErrorResponse(no, envelope.requestId);
    const call: Call = {
      requestId: envelope.requestId,
      surface: envelope.surface,
      workspaceId: key.workspaceId,
      actor: { kind: 'key', key },
      signal: envelope.signal,
      waitSeconds,
      onProgress: envelope.onProgress,
      ifMatch: envelope.ifMatch,
      confirmed: envelope.confirmed,
    };
    const idempotency = await openIdempotencyRecord(ports, operation, call, input, envelope.idempotencyKey);
    if (!idempotency.ok) return refuse(idempotency.failure);
    const { workspaceId } = key;
    // Steps that follow one that has happened are not cancelled: they record it.
    const cancelSignal = operation.boundary === 'staged' ? null : envelope.signal;
    const outcome = await ports.callerQueries.run({ workspaceId, signal: cancelSignal }, () =>
      runOperation(
        ports,
        operation,
        { ...call, idempotency: idempotency.value.token },
        input.command,
        idempotency.value,
        () => {
          commitState.mayHaveCommitted = true;
        },
      ),
    );
    if (outcome.response.failure)
      return restartCursor(operation, input.wire, outcome.response, envelope.requestId);
    return ports.callerQueries
      .run({ workspaceId, signal: null }, () =>
        waitUntilSettled(ports, operation, call, outcome, idempotency.value),
      )
      .catch((error: unknown) => {
        // It is done and answered; only how it settled is not known.
        observer.onError(error, envelope.requestId);
        return outcome.response;
      });
  }
}

/** Whether anything may have been committed: an intent is, before any byte leaves, so before it nothing has happened. */
interface CommitState {
  mayHaveCommitted: boolean;
}

/** One transaction is undone by what throws in it, unless its commit was sent and not answered; several steps are not. */
function effectOf(
  { effect, boundary }: Operation,
  { mayHaveCommitted: began }: CommitState,
  error: unknown,
): Effect {
  if (!began || effect === 'read') return 'none';
  return boundary === 'staged' || isDatabaseUnreachable(error) ? 'unknown' : 'none';
}

/** A failure that is answered again is still one. */
function outcomeOf({ status, value, failure }: OperationResponse): string {
  if (failure) return failure.code;
  return status >= 400 && typeof value['code'] === 'string' ? value['code'] : 'ok';
}
