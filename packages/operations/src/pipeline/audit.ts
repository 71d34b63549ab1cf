import type { Call, Failure } from '@switchboard/domain';
import type { IdentificationResult } from '@switchboard/domain/access';
import { auditRow } from '@switchboard/domain/audit';
import type { AuditRow, Ports, Transactions } from '@switchboard/domain/ports';
import type { Envelope } from './dispatch.js';
import type { Operation } from '../define.js';
import { isDatabaseUnreachable } from './to-unexpected-failure.js';

export const createAuditRow = (
  operation: Operation,
  call: Call,
  object: string | null,
  outcome: string,
): AuditRow => ({
  ...auditRow(call, operation.name, object, {
    surface: call.surface,
    ...(call.actor.kind === 'key' && call.actor.key.client && { client: call.actor.key.client }),
    ...(call.confirmed && { confirmed: true }),
  }),
  outcome,
});

/**
 * Writes the audit row together with the first step that commits, so that no change of a multi-step call is
 * without a row, however the call ends.
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
          // The commit may have been sent without an acknowledgment.
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

/**
 * Rejected calls of an existing key: because of the key itself, a missing scope, any rejected change, or a
 * sealed secret that cannot be decrypted. Aggregated with a count, because a rejected caller may retry a
 * thousand times.
 */
export async function countRefusal(
  { auditCounter }: Pick<Ports, 'auditCounter'>,
  operation: Operation,
  { requestId, surface }: Envelope,
  { namedKey, reason }: Pick<IdentificationResult, 'namedKey' | 'reason'>,
  failure: Failure,
): Promise<void> {
  const isKeyRefusal =
    failure.code === 'auth.invalid_key' ||
    failure.code === 'rate_limit.exceeded' ||
    failure.code.startsWith('key.');
  // Stored data may have been tampered with: the event is recorded for every call that detects it, reads
  // included.
  const isTampered = failure.code === 'vault.unreadable';
  // A missing confirmation is neither a rejection nor a change: a person is prompted first.
  if (failure.code === operation.confirm?.code) return;
  if (namedKey === null || (operation.effect === 'read' && !isKeyRefusal && !isTampered)) return;
  await auditCounter.count({
    workspaceId: namedKey.workspaceId,
    actor: namedKey.id,
    action: operation.name,
    object: null,
    outcome: failure.code,
    requestId,
    details: { surface, ...(namedKey.client && { client: namedKey.client }), ...(reason && { reason }) },
  });
}
