import type { AuditCounter, Connection, TokenUse } from '@switchboard/domain';

/** Writes into the audit log what a login is opened for and by whom. */
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
