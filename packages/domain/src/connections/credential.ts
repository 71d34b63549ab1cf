import type { SealBinding } from '../ports/vault.js';
import type { AttemptId, ConnectionId, ProfileId, WorkspaceId } from '../ids.js';

/**
 * The sealed credential of a connection. `sealed` opens only for this workspace, connection and generation;
 * every renewal is a new generation, so that a stale writer cannot restore an older token.
 */
export interface SealedCredential {
  readonly connectionId: ConnectionId;
  readonly workspaceId: WorkspaceId;
  readonly generation: number;
  readonly sealed: Uint8Array;
  /** When the access token expires; null when it does not or the expiry is unknown. */
  readonly accessExpiresAt: Date | null;
}

/** The seal binding of a connection's credential: the same for storing, renewing and revoking it. */
export const credentialBinding = (connectionId: ConnectionId, generation: number): SealBinding => ({
  table: 'credentials',
  row: connectionId,
  field: 'sealed',
  generation,
});

/**
 * A platform's response to a token refresh, stored before it replaces the credential. It is sealed as the
 * credential that it becomes, so that any process can apply it without opening it.
 */
export interface RefreshReceipt extends SealedCredential {
  readonly attempt: AttemptId;
  readonly permissions: readonly string[];
  /** The profile that revokes it when its connection no longer exists. */
  readonly profileId: ProfileId;
  readonly platform: string;
  readonly connectMethod: string;
  readonly server: string | null;
}

const SECOND_MS = 1000;
const MIN_LEAD_MS = 30 * SECOND_MS;
const MAX_LEAD_MS = 7 * 86_400 * SECOND_MS;

/**
 * How long before its expiry a token is renewed: a tenth of its lifetime, so that there is time for retries,
 * or for recovery from an outage, while it still works.
 */
export const renewalLeadMs = (lifetimeMs: number): number =>
  Math.min(Math.max(lifetimeMs / 10, MIN_LEAD_MS), MAX_LEAD_MS, lifetimeMs / 2);
