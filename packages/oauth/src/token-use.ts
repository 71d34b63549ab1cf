import {
  ok,
  type Clock,
  type Connection,
  type ConnectionId,
  type TokenUse,
  type Transactions,
} from '@switchboard/domain';

const EVERY_MS = 60_000;
const REMEMBERED_MAX = 10_000;

/** Writes into the audit log what a token is opened for: by whom: once a minute for each actor, connection and purpose. */
export function tokenUse(transactions: Transactions, clock: Clock) {
  const written = new Map<`${string} ${ConnectionId} ${string}`, number>();

  return async (connection: Connection, { purpose, actor }: TokenUse, requestId: string): Promise<void> => {
    const key = `${actor} ${connection.id} ${purpose}` as const;
    const now = clock.now().getTime();
    if (now - (written.get(key) ?? -Infinity) < EVERY_MS) return;
    if (written.size >= REMEMBERED_MAX) written.clear();
    written.set(key, now);
    await transactions.run(async (tx) => {
      await tx.audit.append({
        workspaceId: connection.workspaceId,
        actor,
        action: 'token.used',
        object: connection.id,
        outcome: 'ok',
        requestId,
        details: { platform: connection.platform, purpose },
      });
      return ok();
    });
  };
}
