import {
  actorName,
  type AuditRow,
  type Call,
  type Failure,
  type IdentificationResult,
  type Ports,
  type Transactions,
} from '@switchboard/domain';
import type { Envelope } from './dispatch.js';
import type { Operation } from './define.js';
import { isDatabaseUnreachable } from './to-unexpected-failure.js';

export const createAuditRow = (
  operation: Operation,
  call: Call,
  object: string | null,
  outcome: string,
): AuditRow => ({
  workspaceId: call.workspaceId,
  actor: actorName(call),
  action: operation.name,
  object,
  outcome,
  requestId: call.requestId,
  details: { surface: call.surface, ...(call.confirmed && { confirmed: true }) },
});

/**
 * The first step that commits takes the row along, so that whatever becomes of a call of several steps, no change of it is
 * without one.
 */
export function auditFirstCommit(
  transactions: Transactions,
  row: AuditRow,
  onCommitted: () => void,
): Transactions {
  let isRecorded = false;
  return {
    async run(work) {
      if (isRecorded) return transactions.run(work);
      const done = await transactions
        .run(async (tx) => {
          const result = await work(tx);
          if (result.ok) await tx.audit.append(row);
          return result;
        })
        .catch((error: unknown) => {
          // Its commit was sent, perhaps, and not answered.
          if (isDatabaseUnreachable(error)) onCommitted();
          throw error;
        });
      if (done.ok) {
        isRecorded = true;
        onCommitted();
      }
      return done;
    },
  };
}

/** Refusals of an existing key: of the key itself, for lack of a scope, of every change that it asked for, and where a sealed secret did not open. Counted, since whoever is refused may well ask a thousand times. */
export async function countRefusal(
  { auditCounter }: Pick<Ports, 'auditCounter'>,
  operation: Operation,
  { requestId, surface }: Envelope,
  { namedKey: known, reason }: Pick<IdentificationResult, 'namedKey' | 'reason'>,
  failure: Failure,
): Promise<void> {
  const isKeyRefusal =
    failure.code === 'auth.invalid_key' ||
    failure.code === 'rate_limit.exceeded' ||
    failure.code.startsWith('key.');
  // Somebody has been at what is stored: whoever came across it is a witness, whatever he asked.
  const isTampered = failure.code === 'vault.unreadable';
  // A person is asked before anything is refused or done.
  if (failure.code === 'refund.not_confirmed') return;
  if (known === null || (operation.effect === 'read' && !isKeyRefusal && !isTampered)) return;
  await auditCounter.count({
    workspaceId: known.workspaceId,
    actor: known.id,
    action: operation.name,
    object: null,
    outcome: failure.code,
    requestId,
    details: { surface, ...(reason && { reason }) },
  });
}
