import type { Connection } from '../connections/connection.js';
import type { Result } from '../result.js';
import type { Secret } from '../secret.js';
import type { ConnectMethod } from './connect-method.js';
import type { Manifest } from './manifest.js';
import type { PlatformFailureCode, Session } from './session.js';
import type { ProfileId, WorkspaceId } from '../ids.js';

/**
 * Obtains, renews and revokes grants, one authorizer per scheme (OAuth 2.0, the AT Protocol's OAuth, its app
 * passwords). All handling of tokens is behind this port and `Sessions`.
 */
export interface Authorizers {
  /**
   * Sends the browser to the platform. `context` is what `complete` needs: seal it, because it holds the PKCE
   * verifier.
   */
  begin(
    request: BeginRequest,
  ): Promise<Result<{ readonly url: string; readonly context: Secret }, AuthorizeFailureCode>>;
  /**
   * For connect methods in which the platform itself posts the granted keys: parses the request, whose sender
   * is not verified yet.
   */
  accept(request: AcceptRequest): Promise<Result<Grant, AuthorizeFailureCode>>;
  /** Exchanges the callback's parameters for a grant, once. */
  complete(request: CompleteRequest): Promise<Result<Grant, AuthorizeFailureCode>>;
  /** For connect methods that end with a form: logs in with the entered values. */
  login(request: LoginRequest): Promise<Result<Grant, AuthorizeFailureCode>>;
  /**
   * For tokens that another system obtained: the grant that they are part of. Only what the connect method
   * needs is checked; whether the platform accepts the token shows when the account is read.
   */
  importGrant(request: ImportRequest): Promise<Result<ImportedGrant, ImportFailureCode>>;
  /** A session on a grant that is not stored yet, to identify its accounts. It does not renew. */
  openSession(
    manifest: Manifest,
    connectMethod: ConnectMethod,
    grant: Grant,
    signal: AbortSignal,
  ): Promise<Result<Session, PlatformFailureCode>>;
  /** The grant of one account of a login, with the account's own token: it is never renewed. */
  createAccountGrant(connectMethod: ConnectMethod, login: Grant, token: Secret): Grant;
  /**
   * Revokes the grant at the platform. Also succeeds when the platform no longer knows it, or has no
   * revocation endpoint.
   */
  revoke(request: RevokeRequest): Promise<Result<undefined, PlatformFailureCode>>;
  /**
   * Whether two stored credentials share one grant, so that revoking one would end the other. The decision
   * may depend on whether they belong to one account.
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

/** The owner, which determines the OAuth app. */
interface GrantScope {
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
}

export interface BeginRequest extends GrantScope {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  /** The values of the connect method's form fields. */
  readonly fieldValues: Readonly<Record<string, string>>;
  readonly redirectUri: string;
  readonly state: string;
  /**
   * The URL to which the platform itself posts the granted keys, once; omitted when the browser carries the
   * grant.
   */
  readonly keyCallbackUrl?: string | undefined;
  readonly signal: AbortSignal;
}

export interface AcceptRequest {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  /** JSON, as received. */
  readonly body: unknown;
  readonly context: Secret;
}

export interface CompleteRequest extends GrantScope {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  readonly redirectUri: string;
  /** The query parameters of the callback. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly context: Secret;
  /** The keys that the platform posted, already verified with a request to it. */
  readonly keyCallbackGrant?: Grant | undefined;
  readonly signal: AbortSignal;
}

export type LoginRequest = Omit<BeginRequest, 'redirectUri' | 'state' | 'keyCallbackUrl'>;

/** What a caller knows about a login of another system. */
export interface ImportRequest extends GrantScope {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  /** The app that the tokens were issued to; null where the connect method has none. */
  readonly clientId: string | null;
  readonly server?: string | undefined;
  readonly accountId?: string | undefined;
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  readonly expiresAt?: Date | undefined;
  readonly permissions?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

export interface ImportedGrant {
  readonly grant: Grant;
  /**
   * The import has obtained it itself, with an imported password: it is revoked when it is not stored. Any
   * other grant still belongs to the system that it was exported from.
   */
  readonly isObtained: boolean;
}

export type ImportFailureCode =
  | AuthorizeFailureCode
  | 'connection.import_invalid'
  | 'connection.import_unsupported';

export interface RevokeRequest extends GrantScope {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  readonly server: string | null;
  readonly credential: Secret;
}

/** A platform's grant. `credential` is opaque to all code except its authorizer. */
export interface Grant {
  readonly credential: Secret;
  readonly accessExpiresAt: Date | null;
  /** When the grant finally expires; null when it can be renewed or never expires. */
  readonly expiresAt: Date | null;
  readonly permissions: readonly string[];
  readonly server: string | null;
}

/** The purpose for which a login is opened, and the actor: both are written to the audit log. */
export interface TokenUse {
  readonly purpose: 'publish' | 'read_back' | 'unpublish' | 'analytics' | 'orders' | 'refund' | 'check';
  /** `actorName` of the call; `WORKER` for background work. */
  readonly actor: string;
}

/** Opens sessions to connected accounts. The only path from a stored credential to a platform. */
export interface Sessions {
  /**
   * `use` is written to the audit log. Renewal happens here, on demand: single-flight across all processes,
   * and the new token is stored before its first use. A grant that the platform reports as invalid sets the
   * connection to `needs_reauth`, once. `mayWrite` is called immediately before each request that is not a
   * read is sent; if it returns false, the request is not sent.
   */
  open(
    connection: Connection,
    use: TokenUse,
    signal: AbortSignal,
    mayWrite?: () => boolean,
  ): Promise<Result<Session, SessionFailureCode>>;
  /**
   * Renews a login ahead of its expiry, if `generation` is still the stored one. Also succeeds when another
   * process has renewed it. A failure has no further effect: the login works until its expiry, and the
   * renewal is retried after the backoff.
   */
  renew(connection: Connection, generation: number): Promise<Result<undefined, SessionFailureCode>>;
  /**
   * The secret of the app with which the account was connected, which authenticates what the platform sends to the app.
   * `platform.not_configured` where no app has a secret here.
   */
  findAppSecret(connection: Connection): Promise<Result<Secret, SessionFailureCode>>;
}

export type SessionFailureCode =
  | 'connection.needs_reauth'
  | 'platform.not_configured'
  | 'platform.unavailable'
  | 'vault.unavailable'
  | 'vault.unreadable';
