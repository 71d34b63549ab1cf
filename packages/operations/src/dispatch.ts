import { authorize, identify, ok, withinLimit } from '@switchboard/domain';
import type { Allowance, ApiKey, Call, Effect, Failure, Ports, Result, Surface } from '@switchboard/domain';
import { refusal, type Answer } from './answer.js';
import { countRefusal } from './audit.js';
import { beginAgain } from './begin-again.js';
import type { Operation } from './define.js';
import { hideQuotes } from './hide-quotes.js';
import { once } from './once.js';
import { parseInput, type ParsedInput } from './parse.js';
import { run } from './run.js';
import { settle } from './settle.js';
import { isAway, isCanceled, unexpected } from './unexpected.js';
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
  readonly allowance?: Allowance | undefined;
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

export interface Observer {
  called(record: CallRecord): void;
  /** Something threw: a bug or a dead machine. */
  threw(error: unknown, requestId: string): void;
  /** A key was used; recorded in batches. */
  used(key: ApiKey): void;
}

export type Dispatch = (operation: Operation, envelope: Envelope) => Promise<Answer>;

/** The one road of every call, whatever wire it came in on: identify → authorize → limit → parse → once → run → present → record. */
export function dispatcher(ports: Ports, observer: Observer): Dispatch {
  return async (operation, envelope) => {
    const startedMs = ports.clock.now().getTime();
    let key: ApiKey | null = null;
    const progress: Progress = { began: false };
    let allowance: Allowance | null = null;
    let answer: Answer;
    try {
      const identified = await identify(ports, envelope);
      key = identified.known;
      // Counted before it is judged, so that what is refused costs as much as what is not.
      if (identified.result.ok)
        allowance = envelope.allowance ?? (await ports.limits.take(identified.result.value));
      answer = await answerTo(operation, envelope, identified.result, allowance, progress);
      // The refusal stands, and says what happened, whether or not it could be noted.
      if (answer.failure)
        await countRefusal(ports, operation, envelope, identified, answer.failure).catch((error: unknown) =>
          observer.threw(error, envelope.requestId),
        );
    } catch (error) {
      // A query that was cancelled because its caller has disconnected is no fault.
      if (!envelope.signal.aborted || !isCanceled(error)) observer.threw(error, envelope.requestId);
      answer = refusal(unexpected(error, effectOf(operation, progress, error)), envelope.requestId);
    }
    observer.called({
      operation: operation.name,
      surface: envelope.surface,
      requestId: envelope.requestId,
      workspaceId: key?.workspaceId ?? null,
      keyId: key?.id ?? null,
      outcome: outcomeOf(answer),
      durationMs: ports.clock.now().getTime() - startedMs,
    });
    return { ...hideQuotes(answer, operation, key), allowance, scopes: key?.scopes ?? [] };
  };

  async function answerTo(
    operation: Operation,
    envelope: Envelope,
    identified: Result<ApiKey>,
    allowance: Allowance | null,
    progress: Progress,
  ): Promise<Answer> {
    const refuse = (no: Failure) => refusal(no, envelope.requestId);
    if (!identified.ok) return refuse(identified.failure);
    const key = identified.value;
    observer.used(key);
    const authorized = authorize(key, operation);
    if (!authorized.ok) return refuse(authorized.failure);
    const limited = allowance ? withinLimit(operation, allowance) : ok();
    if (!limited.ok) return refuse(limited.failure);

    const raw = await envelope.readInput(key);
    if (!raw.ok) return refuse(raw.failure);
    const parsed = parseInput(operation, envelope.surface, raw.value);
    if (!parsed.ok) return refuse(parsed.failure);

    const patience = envelope.waitSeconds ?? operation.waitSeconds;
    return withWaitingSlot(ports, operation, key, patience, (waitSeconds) =>
      runOnce(operation, envelope, key, parsed.value, waitSeconds, progress),
    );
  }

  async function runOnce(
    operation: Operation,
    envelope: Envelope,
    key: ApiKey,
    input: ParsedInput,
    waitSeconds: number,
    progress: Progress,
  ): Promise<Answer> {
    const refuse = (no: Failure) => refusal(no, envelope.requestId);
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
    const memory = await once(ports, operation, call, input, envelope.idempotencyKey);
    if (!memory.ok) return refuse(memory.failure);
    const { workspaceId } = key;
    // Steps that follow one that has happened are not cancelled: they record it.
    const cancelling = operation.boundary === 'staged' ? null : envelope.signal;
    const ran = await ports.callerQueries.run({ workspaceId, signal: cancelling }, () =>
      run(ports, operation, { ...call, idempotency: memory.value.mark }, input.command, memory.value, () => {
        progress.began = true;
      }),
    );
    if (ran.answer.failure) return beginAgain(operation, input.wire, ran.answer, envelope.requestId);
    return ports.callerQueries
      .run({ workspaceId, signal: null }, () => settle(ports, operation, call, ran, memory.value))
      .catch((error: unknown) => {
        // It is done and answered; only how it settled is not known.
        observer.threw(error, envelope.requestId);
        return ran.answer;
      });
  }
}

/** Whether anything may have been committed: an intent is, before any byte leaves, so before it nothing has happened. */
interface Progress {
  began: boolean;
}

/** One transaction is undone by what throws in it, unless its commit was sent and not answered; several steps are not. */
function effectOf({ effect, boundary }: Operation, { began }: Progress, error: unknown): Effect {
  if (!began || effect === 'read') return 'none';
  return boundary === 'staged' || isAway(error) ? 'unknown' : 'none';
}

/** A failure that is answered again is still one. */
function outcomeOf({ status, value, failure }: Answer): string {
  if (failure) return failure.code;
  return status >= 400 && typeof value['code'] === 'string' ? value['code'] : 'ok';
}
