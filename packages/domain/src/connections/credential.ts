import type { SealBinding } from '../ports/vault.js';
import type { ConnectionId, WorkspaceId } from '../ids.js';

/**
 * The sealed credential of a connection. `sealed` opens only for this workspace, connection and generation;
 * every renewal is a new generation, so that a stale writer cannot bring an older token back.
 */
export interface SealedCredential {
  readonly connectionId: ConnectionId;
  readonly workspaceId: WorkspaceId;
  readonly generation: number;
  readonly sealed: Uint8Array;
  /** When the access token ends; null when it does not or nobody knows. */
  readonly accessExpiresAt: Date | null;
}

/** Where a connection's credential is sealed: the same for whoever stores it first, renews it or gives it back. */
export const credentialBinding = (connectionId: ConnectionId, generation: number): SealBinding => ({
  table: 'credentials',
  row: connectionId,
  field: 'sealed',
  generation,
});
