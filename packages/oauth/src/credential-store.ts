import {
  credentialBinding,
  ok,
  refuse,
  type Connection,
  type Credentials,
  type Reading,
  type Result,
  type SealedCredential,
  type Secret,
  type UnlockedVault,
  type Vault,
} from '@switchboard/domain';
import type { Access } from './platform-session.js';
import type { Scheme } from './scheme.js';

export type OpenFailureCode = 'connection.needs_reauth' | 'vault.unavailable' | 'vault.unreadable';

export interface Opened extends Access {
  readonly secret: Secret;
  /** For sealing the successor without asking for the key again. */
  readonly vault: UnlockedVault;
}

/** Reads and opens what is stored of a connection's login. */
export const openCredential =
  (deps: { readonly credentials: Reading<Credentials>; readonly vault: Vault }) =>
  async (connection: Connection, scheme: Scheme): Promise<Result<Opened, OpenFailureCode>> => {
    const stored = await deps.credentials.find(connection.workspaceId, connection.id);
    // Disconnected in the meantime.
    if (!stored) return needsReauth();
    const vault = await deps.vault.unlock(connection.workspaceId);
    if (!vault.ok) return vault;
    const secret = vault.value.open(credentialBinding(connection.id, stored.generation), stored.sealed);
    if (!secret.ok) return secret;
    const line = scheme.open(secret.value);
    return ok({ generation: stored.generation, line, secret: secret.value, vault: vault.value });
  };

export const needsReauth = () =>
  refuse('connection.needs_reauth', 'The account must be connected again before it can be used.');

/** The next generation of an opened credential, sealed for its place. */
export function sealNext(
  connection: Connection,
  { generation, vault }: Opened,
  credential: Secret,
  accessExpiresAt: Date | null,
): SealedCredential {
  const next = generation + 1;
  return {
    connectionId: connection.id,
    workspaceId: connection.workspaceId,
    generation: next,
    sealed: vault.seal(credentialBinding(connection.id, next), credential),
    accessExpiresAt,
  };
}
