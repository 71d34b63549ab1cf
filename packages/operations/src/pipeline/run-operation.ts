import { failures, keyOf, type Call, type Failure, type Result } from '@switchboard/domain';
import { satisfies } from '@switchboard/domain/access';
import type { Ports, Tools, Tx } from '@switchboard/domain/ports';
import { catalog } from '../catalog.js';
import { parseOutput } from './parse-output.js';
import { createErrorResponse, createSuccessResponse, type OperationResponse } from './operation-response.js';
import { createAuditRow, auditFirstCommit } from './audit.js';
import type { Operation } from '../define.js';
import type { IdempotencyRecord } from './open-idempotency-record.js';

/** A response with the value that it presents, which waiting needs; replays and rejections have none. */
export interface RunOutcome {
  readonly response: OperationResponse;
  readonly value?: unknown;
}

/** Called as soon as something is committed, or may be. */
type CommitListener = () => void;

type BoundaryRunner = (
  ports: Ports,
  operation: Operation,
  call: Call,
  command: unknown,
  idempotency: IdempotencyRecord,
  onCommitted: CommitListener,
) => Promise<RunOutcome>;
type UseCase = (ports: unknown, call: Call, command: unknown) => Promise<Result<unknown>>;

export const runOperation: BoundaryRunner = (ports, operation, ...rest) =>
  runnersByBoundary[operation.boundary](ports, operation, ...rest);

const runnersByBoundary: Record<Operation['boundary'], BoundaryRunner> = {
  async read(ports, operation, call, command) {
    const result = await (operation.useCase as UseCase)(ports, call, command);
    return result.ok
      ? presentOutcome(ports, operation, call, result.value)
      : { response: toErrorResponse(call, result.failure) };
  },

  /** Claim, change, event, audit row and response commit together or not at all. */
  async atomic(ports, operation, call, command, idempotency, onCommitted) {
    const prepared = (await operation.prepareCall?.(ports, call, command as never)) ?? call;
    onCommitted();
    const tools = pickTools(ports);
    const done = await ports.transactions.run(async (tx): Promise<Result<RunOutcome>> => {
      const before = await idempotency.claim(tx);
      if (!before.ok) return before;
      if (before.value) return { ok: true, value: { response: before.value } };
      const result = await (operation.useCase as UseCase)({ ...tx, ...tools }, prepared, command);
      if (!result.ok) return result;
      const outcome = presentOutcome(ports, operation, call, result.value);
      await appendAuditRow(tx, operation, call, outcome);
      await idempotency.storeResponse(tx, outcome.response);
      return { ok: true, value: outcome };
    });
    return done.ok ? done.value : { response: toErrorResponse(call, done.failure) };
  },

  /**
   * The use case opens a transaction for each step; the claim is a lease, so that another request takes over
   * when the process dies.
   */
  async staged(ports, operation, call, command, idempotency, onCommitted) {
    // A read has no idempotency key and writes no audit row of its own.
    if (operation.effect === 'read') {
      return runnersByBoundary.read(ports, operation, call, command, idempotency, onCommitted);
    }
    const before = await ports.transactions.run((tx) => idempotency.claim(tx));
    if (!before.ok) return { response: toErrorResponse(call, before.failure) };
    if (before.value) return { response: before.value };
    let outcome: RunOutcome | null = null;
    try {
      const result = await (operation.useCase as UseCase)(
        withAuditedTransactions(ports, operation, call, onCommitted),
        call,
        command,
      );
      outcome = result.ok
        ? presentOutcome(ports, operation, call, result.value)
        : { response: toErrorResponse(call, result.failure) };
      return outcome;
    } finally {
      const settled = outcome;
      await ports.transactions.run(async (tx): Promise<Result<undefined>> => {
        if (settled && shouldStore(settled.response)) await idempotency.storeResponse(tx, settled.response);
        else await idempotency.release(tx);
        if (settled && !settled.response.failure) await appendAuditRow(tx, operation, call, settled);
        return { ok: true, value: undefined };
      });
    }
  },
};

function withAuditedTransactions(
  ports: Ports,
  operation: Operation,
  call: Call,
  onCommitted: CommitListener,
): Ports {
  if (operation.effect === 'read') return ports;
  const row = createAuditRow(operation, call, null, 'begun');
  return { ...ports, transactions: auditFirstCommit(ports.transactions, row, onCommitted) };
}

/** Names only a next call that the key may make, so that its object is within reach as well. */
function toErrorResponse(call: Call, { next, fallback, ...failure }: Failure): OperationResponse {
  const { scopes } = keyOf(call);
  const callable = [next, fallback].find((one) => {
    const scope = catalog.find(({ name }) => name === one?.operation)?.scope;
    return scope !== undefined && (scope === 'any' || satisfies(scopes, scope));
  });
  return createErrorResponse({ ...failure, next: callable, fallback }, call.requestId);
}

/**
 * A response is stored when something was committed or sent; a rejection that changed nothing is not stored.
 */
const shouldStore = ({ failure }: OperationResponse): boolean =>
  failure === null || (failure.effect ?? failures[failure.code].effect) !== 'none';

export function presentOutcome(ports: Ports, operation: Operation, call: Call, value: unknown): RunOutcome {
  const presented = operation.present(value as never, { call, now: ports.clock.now(), ports });
  // Parsing removes fields that a presenter added by mistake: only what the schema declares is sent.
  const wire = parseOutput(operation.output, presented);
  const response = createSuccessResponse(operation.http.status, wire, operation.etag?.(value) ?? null);
  return { response: { ...response, replayed: operation.replayed?.(value) ?? false }, value };
}

async function appendAuditRow(
  tx: Tx,
  operation: Operation,
  call: Call,
  { response, value }: RunOutcome,
): Promise<void> {
  if (operation.effect === 'read' || operation.writesOwnAuditRow) return;
  const id = operation.object ? operation.object(value) : response.value['id'];
  await tx.audit.append(createAuditRow(operation, call, typeof id === 'string' ? id : null, 'ok'));
}

const pickTools = ({
  clock,
  ids,
  cursors,
  tokens,
  keyHasher,
  manifests,
  settings,
  mediaLinks,
  approvalLinks,
}: Ports): Tools => ({
  clock,
  ids,
  cursors,
  tokens,
  keyHasher,
  manifests,
  settings,
  mediaLinks,
  approvalLinks,
});
