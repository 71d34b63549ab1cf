import type { Connection } from '../connections/connection.js';
import type { Failure } from '../failure.js';
import type { Result } from '../result.js';
import type { Secret } from '../secret.js';
import type { ConnectMethod } from './connect-method.js';
import type { Manifest, PlatformFailureCode, Session } from './platform.js';
import type { ProfileId, WorkspaceId } from '../ids.js';

/**
 * How grants are got, kept alive and given back, one authorizer a scheme (OAuth 2.0, the AT Protocol's OAuth, its app
 * passwords). Everything that touches a token lives behind this port and `Sessions`.
 */
export interface Authorizers {
  /** Sends the browser to the platform. `context` is what `complete` needs back: seal it, it holds the PKCE verifier. */
  begin(
    request: BeginRequest,
  ): Promise<Result<{ readonly url: string; readonly context: Secret }, AuthorizeFailureCode>>;
  /** For ways on which the platform itself brings what it grants: reads what somebody brought, of whom nothing is known yet. */
  accept(request: AcceptRequest): Promise<Result<Grant, AuthorizeFailureCode>>;
  /** Exchanges the callback's parameters for a grant, once. */
  complete(request: CompleteRequest): Promise<Result<Grant, AuthorizeFailureCode>>;
  /** For ways that end with a form: logs in with what was typed. */
  login(request: LoginRequest): Promise<Result<Grant, AuthorizeFailureCode>>;
  /** A session on a grant that is not stored yet, to ask who it belongs to. It does not renew. */
  openSession(
    manifest: Manifest,
    connectMethod: ConnectMethod,
    grant: Grant,
    signal: AbortSignal,
  ): Promise<Result<Session, PlatformFailureCode>>;
  /** The grant of one account out of a login's, with the token that is the account's own: it renews itself never. */
  createAccountGrant(connectMethod: ConnectMethod, login: Grant, token: Secret): Grant;
  /** Gives the grant back to the platform. Success too when the platform does not know it any more, or has no way to revoke. */
  revoke(request: RevokeRequest): Promise<Result<undefined, PlatformFailureCode>>;
  /**
   * Whether two stored credentials live on one grant, so that giving back the one would end the other. It may take to know
   * that they are of one account.
   */
  sharesGrant(connectMethod: ConnectMethod, one: Secret, other: Secret, ofOneAccount?: boolean): boolean;
}

export type AuthorizeFailureCode =
  | 'connect.answer_invalid'
  | 'connect.denied'
  | 'connect.exchange_failed'
  | 'platform.not_configured'
  | 'platform.unavailable'
  | 'platform.address_refused'
  | 'vault.unavailable'
  | 'vault.unreadable';

/** For whom: it decides which OAuth app is used. */
interface GrantScope {
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
}

export interface BeginRequest extends GrantScope {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  /** What the person answered to the way's fields. */
  readonly fieldValues: Readonly<Record<string, string>>;
  readonly redirectUri: string;
  readonly state: string;
  /** The address to which the platform itself is to bring what it grants, once; left out where the browser brings it. */
  readonly keyCallbackUrl?: string | undefined;
  readonly signal: AbortSignal;
}

export interface AcceptRequest {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  /** JSON, as it was sent. */
  readonly body: unknown;
  readonly context: Secret;
}

export interface CompleteRequest extends GrantScope {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  readonly redirectUri: string;
  /** The callback's query. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly context: Secret;
  /** What the platform brought before, and a request to it has shown to be good. */
  readonly keyCallbackGrant?: Grant | undefined;
  readonly signal: AbortSignal;
}

export interface LoginRequest extends GrantScope {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  readonly fieldValues: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface RevokeRequest extends GrantScope {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  readonly server: string | null;
  readonly credential: Secret;
}

/** What a platform granted. `credential` is opaque to everybody but its authorizer. */
export interface Grant {
  readonly credential: Secret;
  readonly accessExpiresAt: Date | null;
  /** When the grant ends for good; null when it renews itself or never ends. */
  readonly expiresAt: Date | null;
  readonly permissions: readonly string[];
  readonly server: string | null;
}

/** What a login is opened for, and who asked: both are written into the audit log. */
export interface TokenUse {
  readonly purpose: 'publish' | 'read_back' | 'unpublish' | 'analytics' | 'orders' | 'refund' | 'check';
  /** `actorName` of the call; for what the worker does by itself, `WORKER`. */
  readonly actor: string;
}

/** Opens lines to connected accounts. The only road from a stored credential to a platform. */
export interface Sessions {
  /**
   * `use` is written into the audit log. Renewal happens here, on demand: one flight for all processes, the new token
   * stored before anybody uses it. A grant that the platform calls invalid makes the connection `needs_reauth`, once.
   * `mayWrite` is asked at the last moment before each request that is no read leaves; one that may not is not sent.
   */
  open(
    connection: Connection,
    use: TokenUse,
    signal: AbortSignal,
    mayWrite?: () => boolean,
  ): Promise<Result<Session, SessionFailureCode>>;
  /**
   * Renews a login ahead of its time, if `generation` is still the one that is stored. Ok too when somebody else has done it. What
   * fails is told to nobody: the login works until its end, and is tried again when its rest is over.
   */
  renew(connection: Connection, generation: number): Promise<Result<undefined, SessionFailureCode>>;
}

export type SessionFailureCode =
  | 'connection.needs_reauth'
  | 'platform.not_configured'
  | 'platform.unavailable'
  | 'vault.unavailable'
  | 'vault.unreadable';

export type SessionFailure = Failure<SessionFailureCode>;
