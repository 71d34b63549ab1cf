import type { SealBinding } from '../ports/vault.js';
import type { AttemptId, ConnectionId, ProfileId, WorkspaceId } from '../ids.js';

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

/**
 * What a platform answered to a renewal, before it is in its place: the first thing that is written of it. It is sealed as the
 * credential that it becomes, so that whoever finds it can put it there without opening it.
 */
export interface RefreshReceipt extends SealedCredential {
  readonly attempt: AttemptId;
  readonly permissions: readonly string[];
  /** By whom it is given back when there is no connection any more. */
  readonly profileId: ProfileId;
  readonly platform: string;
  readonly connectMethod: string;
  readonly server: string | null;
}

const SECOND_MS = 1000;
const MIN_LEAD_MS = 30 * SECOND_MS;
const MAX_LEAD_MS = 7 * 86_400 * SECOND_MS;

/**
 * How long before its end a token is renewed: a tenth of its life, so that there is time to try again, or to come back
 * after an outage, while it still works.
 */
export const renewalLeadMs = (lifetimeMs: number): number =>
  Math.min(Math.max(lifetimeMs / 10, MIN_LEAD_MS), MAX_LEAD_MS, lifetimeMs / 2);
