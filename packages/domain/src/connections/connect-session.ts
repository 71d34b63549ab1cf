import type { ConnectionId, ConnectSessionId, ProfileId, WorkspaceId } from '../ids.js';
import type { Metadata } from '../profiles/profile.js';

export type ConnectSessionStatus = 'pending' | 'connected' | 'failed' | 'cancelled' | 'expired';
export type ConnectErrorCode =
  'denied' | 'wrong_account' | 'exchange_failed' | 'nothing_to_choose' | 'expired';

/** One run of the hosted connect flow. */
export interface ConnectSession {
  readonly id: ConnectSessionId;
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  /** SHA-256 of the token in the hosted URL; the token itself is never stored. */
  readonly tokenHash: Uint8Array;
  /** The platforms that may be chosen; one goes straight there. */
  readonly platforms: readonly string[];
  /** Set when an existing connection is to be connected again. */
  readonly reconnects: ConnectionId | null;
  readonly returnUrl: string | null;
  readonly externalId: string | null;
  readonly metadata: Metadata;
  readonly status: ConnectSessionStatus;
  readonly connectionIds: readonly ConnectionId[];
  readonly error: { readonly code: ConnectErrorCode; readonly message: string } | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** One trip to a platform's consent page: state, browser and verifier belong together and are used once. */
export interface ConnectFlow {
  readonly sessionId: ConnectSessionId;
  readonly workspaceId: WorkspaceId;
  readonly platform: string;
  readonly way: string;
  /** SHA-256 of the `state` parameter. */
  readonly stateHash: Uint8Array;
  /** SHA-256 of the cookie of the browser that began. */
  readonly browserHash: Uint8Array;
  /** What the authorizer needs back at the callback (PKCE verifier, issuer, instance), sealed for this state. */
  readonly sealedContext: Uint8Array;
  readonly expiresAt: Date;
}
