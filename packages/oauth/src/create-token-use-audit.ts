import type { Connection } from '@switchboard/domain/connections';
import type { AuditCounter, TokenUse } from '@switchboard/domain/ports';

/** Records in the audit log who opened a credential and for what purpose. */
export const createTokenUseAudit =
  (counter: AuditCounter) =>
  (connection: Connection, { purpose, actor }: TokenUse, requestId: string): Promise<void> =>
    counter.count({
      workspaceId: connection.workspaceId,
      actor,
      action: 'token.used',
      object: connection.id,
      outcome: 'ok',
      requestId,
      details: { platform: connection.platform, purpose },
    });
