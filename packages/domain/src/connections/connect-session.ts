import type { ConnectChoiceId, ConnectionId, ConnectSessionId, ProfileId, WorkspaceId } from '../ids.js';
import type { Metadata } from '../profiles/profile.js';
import type { RemoteAccount } from './connection.js';

export type ConnectSessionStatus = 'pending' | 'connected' | 'failed' | 'cancelled' | 'expired';
export type ConnectErrorCode =
  | 'denied'
  | 'wrong_account'
  | 'exchange_failed'
  /** The service cannot read the account that the platform returned; retrying does not help. */
  | 'account_unreadable'
  | 'nothing_to_choose'
  | 'expired';

/** One run of the hosted connect flow. */
export interface ConnectSession {
  readonly id: ConnectSessionId;
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  /** SHA-256 of the token in the hosted URL; the token itself is never stored. */
  readonly tokenHash: Uint8Array;
  /** The platforms to choose from; with exactly one the page skips the choice. */
  readonly platforms: readonly string[];
  /** Set when an existing connection is to be reconnected. */
  readonly reconnects: ConnectionId | null;
  readonly returnUrl: string | null;
  readonly externalId: string | null;
  readonly metadata: Metadata;
  /** The requested language of the pages, as a BCP 47 tag; null: the browser's. */
  readonly locale: string | null;
  /** The maximum number of accounts to connect; null when not set. */
  readonly maxConnections: number | null;
  readonly status: ConnectSessionStatus;
  /** Grows while the session is pending, if several accounts may be connected. */
  readonly connectionIds: readonly ConnectionId[];
  readonly error: { readonly code: ConnectErrorCode; readonly message: string } | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A login that opens several accounts, kept until its owner has selected some of them. */
export interface ConnectChoice {
  readonly id: ConnectChoiceId;
  readonly sessionId: ConnectSessionId;
  readonly workspaceId: WorkspaceId;
  readonly platform: string;
  readonly connectMethod: string;
  /** SHA-256 of the cookie of the browser that logged in. */
  readonly browserHash: Uint8Array;
  /** The login's grant and, for accounts with a grant of their own, those grants. */
  readonly sealedLogin: Uint8Array;
  readonly accounts: readonly RemoteAccount[];
  /** The server within which the ids of `accounts` are unique, see `accountServerOf`. */
  readonly accountServer: string;
  readonly expiresAt: Date;
}

/** One visit to a platform's consent page: state, browser and verifier belong together and are used once. */
export interface ConnectFlow {
  readonly sessionId: ConnectSessionId;
  readonly workspaceId: WorkspaceId;
  readonly platform: string;
  readonly connectMethod: string;
  /** SHA-256 of the `state` parameter. */
  readonly stateHash: Uint8Array;
  /** SHA-256 of the cookie of the browser that started it. */
  readonly browserHash: Uint8Array;
  /**
   * What the authorizer needs at the callback (PKCE verifier, issuer, instance) and the link's token, sealed
   * for this state.
   */
  readonly sealedContext: Uint8Array;
  /**
   * SHA-256 of the secret in the URL to which the platform posts the granted keys; null when the browser
   * carries the grant.
   */
  readonly deliveryHash: Uint8Array | null;
  /** The received keys, sealed for this state, until the browser returns. */
  readonly sealedDelivery: Uint8Array | null;
  readonly expiresAt: Date;
}

/** The default maximum of connections per session. */
const CONNECTIONS_MAX = 50;

/** How many more accounts a session may connect. */
export const remainingConnections = ({ maxConnections, connectionIds }: ConnectSession): number =>
  Math.max(0, (maxConnections ?? CONNECTIONS_MAX) - connectionIds.length);

/**
 * Whether a session continues after a login: it does when several platforms were offered or more than one
 * account was requested. A link for one platform, or for reconnecting an account, ends with one login.
 */
export const allowsSeveralLogins = ({ reconnects, platforms, maxConnections }: ConnectSession): boolean =>
  reconnects === null && maxConnections !== 1 && (platforms.length > 1 || (maxConnections ?? 1) > 1);
