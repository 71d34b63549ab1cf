import { ok, refuse, type AttemptId, type Result, type Secret } from '@switchboard/domain';
import { credentialBinding, type Connection, type RefreshReceipt } from '@switchboard/domain/connections';
import type { Credentials, ReadMethods, UnlockedVault, Vault } from '@switchboard/domain/ports';
import type { SessionCredential } from './platform-session.js';
import type { AuthScheme } from './auth-scheme.js';

export type OpenFailureCode = 'connection.needs_reauth' | 'vault.unavailable' | 'vault.unreadable';

export interface OpenedCredential extends SessionCredential {
  readonly secret: Secret;
  /** Seals the successor without unwrapping the data key again. */
  readonly vault: UnlockedVault;
}

export const openCredential =
  (deps: { readonly credentials: ReadMethods<Credentials>; readonly vault: Vault }) =>
  async (connection: Connection, scheme: AuthScheme): Promise<Result<OpenedCredential, OpenFailureCode>> => {
    const stored = await deps.credentials.find(connection.workspaceId, connection.id);
    // The account was disconnected concurrently.
    if (!stored) return refuseNeedsReauth();
    const vault = await deps.vault.unlock(connection.workspaceId);
    if (!vault.ok) return vault;
    const secret = vault.value.open(credentialBinding(connection.id, stored.generation), stored.sealed);
    if (!secret.ok) return secret;
    const transport = scheme.open(secret.value);
    return ok({ generation: stored.generation, transport, secret: secret.value, vault: vault.value });
  };

export const refuseNeedsReauth = () =>
  refuse('connection.needs_reauth', 'The account must be reconnected before it can be used.');

export const createRefreshReceipt = (
  connection: Connection,
  { generation, vault }: Pick<OpenedCredential, 'generation' | 'vault'>,
  renewed: Pick<RefreshReceipt, 'accessExpiresAt' | 'permissions'> & { readonly credential: Secret },
  attempt: AttemptId,
): RefreshReceipt => ({
  attempt,
  connectionId: connection.id,
  workspaceId: connection.workspaceId,
  generation: generation + 1,
  sealed: vault.seal(credentialBinding(connection.id, generation + 1), renewed.credential),
  accessExpiresAt: renewed.accessExpiresAt,
  permissions: renewed.permissions,
  profileId: connection.profileId,
  platform: connection.platform,
  connectMethod: connection.connectMethod,
  server: connection.server,
});

/** Seals the receipt again for the next slot. Null when it cannot be opened. */
export function resealReceipt(
  connection: Connection,
  before: OpenedCredential,
  spare: RefreshReceipt,
  attempt: AttemptId,
): RefreshReceipt | null {
  const opened = before.vault.open(credentialBinding(connection.id, spare.generation), spare.sealed);
  return opened.ok
    ? createRefreshReceipt(connection, before, { ...spare, credential: opened.value }, attempt)
    : null;
}
