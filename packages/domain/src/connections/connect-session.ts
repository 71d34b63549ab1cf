import type { ConnectChoiceId, ConnectionId, ConnectSessionId, ProfileId, WorkspaceId } from '../ids.js';
import type { Metadata } from '../profiles/profile.js';
import type { RemoteAccount } from './connection.js';

export type ConnectSessionStatus = 'pending' | 'connected' | 'failed' | 'cancelled' | 'expired';
export type ConnectErrorCode =
  | 'denied'
  | 'wrong_account'
  | 'exchange_failed'
  /** The platform answered with an account that this service cannot read; trying again does not help. */
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
  /** The platforms that may be chosen; one goes straight there. */
  readonly platforms: readonly string[];
  /** Set when an existing connection is to be connected again. */
  readonly reconnects: ConnectionId | null;
  readonly returnUrl: string | null;
  readonly externalId: string | null;
  readonly metadata: Metadata;
  /** The language that the pages were asked for in, as a BCP 47 tag; null: the browser's. */
  readonly locale: string | null;
  /** How many accounts may be connected at most; null where nobody said. */
  readonly maxConnections: number | null;
  readonly status: ConnectSessionStatus;
  /** Grows while the session is pending, where several may be connected. */
  readonly connectionIds: readonly ConnectionId[];
  readonly error: { readonly code: ConnectErrorCode; readonly message: string } | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A login that opens several accounts, kept until its owner has said which of them are meant. */
export interface ConnectChoice {
  readonly id: ConnectChoiceId;
  readonly sessionId: ConnectSessionId;
  readonly workspaceId: WorkspaceId;
  readonly platform: string;
  readonly connectMethod: string;
  /** SHA-256 of the cookie of the browser that logged in. */
  readonly browserHash: Uint8Array;
  /** The login's grant and, where accounts have their own, theirs. */
  readonly sealedLogin: Uint8Array;
  readonly accounts: readonly RemoteAccount[];
  /** The server within which the ids of `accounts` are unique, see `accountServerOf`. */
  readonly accountServer: string;
  readonly expiresAt: Date;
}

/** One trip to a platform's consent page: state, browser and verifier belong together and are used once. */
export interface ConnectFlow {
  readonly sessionId: ConnectSessionId;
  readonly workspaceId: WorkspaceId;
  readonly platform: string;
  readonly connectMethod: string;
  /** SHA-256 of the `state` parameter. */
  readonly stateHash: Uint8Array;
  /** SHA-256 of the cookie of the browser that began. */
  readonly browserHash: Uint8Array;
  /** What the authorizer needs back at the callback (PKCE verifier, issuer, instance) and the link's token, sealed for this state. */
  readonly sealedContext: Uint8Array;
  /** SHA-256 of the secret in the address to which the platform itself brings what it grants; null where the browser does. */
  readonly deliveryHash: Uint8Array | null;
  /** What it brought, sealed for this state, until the browser comes back. */
  readonly sealedDelivery: Uint8Array | null;
  readonly expiresAt: Date;
}

/** What one session may connect where nobody said how many. */
const CONNECTIONS_MAX = 50;

/** How many accounts a session may connect besides those that it has connected. */
export const remainingConnections = ({ maxConnections, connectionIds }: ConnectSession): number =>
  Math.max(0, (maxConnections ?? CONNECTIONS_MAX) - connectionIds.length);

/**
 * Whether a session goes on after a login: where a choice of platforms was offered, or more than one account was asked for.
 * A link for one platform, or for an account that is connected again, has done its work with one login.
 */
export const allowsSeveralLogins = ({ reconnects, platforms, maxConnections }: ConnectSession): boolean =>
  reconnects === null && maxConnections !== 1 && (platforms.length > 1 || (maxConnections ?? 1) > 1);
