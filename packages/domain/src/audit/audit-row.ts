import { actorName, type Call } from '../call.js';
import type { AuditRow } from '../ports/index.js';

/** The row of a successful action of this call. */
export const auditRow = (
  call: Pick<Call, 'workspaceId' | 'actor' | 'requestId'>,
  action: string,
  object: string | null,
  details: AuditRow['details'],
): AuditRow => ({
  workspaceId: call.workspaceId,
  actor: actorName(call),
  action,
  object,
  outcome: 'ok',
  requestId: call.requestId,
  details,
});
