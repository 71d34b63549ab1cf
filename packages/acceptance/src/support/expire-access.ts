import { ok, Secret, type ConnectionId } from '@switchboard/domain';
import { credentialBinding } from '@switchboard/domain/connections';
import type { Operator } from './operator.js';

/**
 * Simulates hours since the last use of an app password: its access token has expired, and a new one is
 * requested.
 */
export async function expireAccess({ service, workspaceId }: Operator, id: ConnectionId): Promise<void> {
  const { vault, credentials, transactions } = service.ports;
  const [unlocked, found] = [await vault.unlock(workspaceId), await credentials.find(workspaceId, id)];
  if (!unlocked.ok || !found) throw new Error(`the connection ${id} has no credential`);
  const opened = unlocked.value.open(credentialBinding(id, found.generation), found.sealed);
  if (!opened.ok) throw new Error(opened.failure.message);
  const accessExpiresAt = new Date(Date.now() - 1000);
  const before = JSON.parse(opened.value.reveal()) as object;
  const expiredCredential = new Secret(
    JSON.stringify({ ...before, accessExpiresAt: accessExpiresAt.toISOString() }),
  );
  const generation = found.generation + 1;
  const sealed = unlocked.value.seal(credentialBinding(id, generation), expiredCredential);
  await transactions.run(async (tx) => {
    await tx.credentials.replace({ ...found, generation, sealed, accessExpiresAt });
    return ok();
  });
}
