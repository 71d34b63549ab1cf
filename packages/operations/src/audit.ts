import {
  actorName,
  type ApiKey,
  type AuditRow,
  type Call,
  type Failure,
  type Ports,
} from '@switchboard/domain';
import type { Envelope } from './dispatch.js';
import type { Operation } from './define.js';

export const auditRow = (
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
  details: { surface: call.surface },
});

/** Refusals of an existing key: of the key itself, for lack of a scope, and of every change that it asked for. */
export async function appendRefusal(
  ports: Ports,
  operation: Operation,
  envelope: Envelope,
  key: ApiKey | null,
  no: Failure,
): Promise<void> {
  const ofTheKey = no.code === 'auth.invalid_key' || no.code.startsWith('key.');
  if (key === null || (operation.effect === 'read' && !ofTheKey)) return;
  await ports.transactions.run(async (tx) => {
    await tx.audit.append({
      workspaceId: key.workspaceId,
      actor: key.id,
      action: operation.name,
      object: null,
      outcome: no.code,
      requestId: envelope.requestId,
      details: { surface: envelope.surface },
    });
    return { ok: true, value: undefined };
  });
}
