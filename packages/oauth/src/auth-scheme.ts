import type { Failure, ProfileId, Result, Secret, WorkspaceId } from '@switchboard/domain';
import type {
  AcceptRequest,
  AuthorizeFailureCode,
  BeginRequest,
  CompleteRequest,
  ConnectMethod,
  Grant,
  ImportedGrant,
  ImportFailureCode,
  ImportRequest,
  LoginRequest,
  Manifest,
  OutboundResponse,
  OutboundOutcome,
  OutboundRequest,
  PlatformFailureCode,
  PlatformRequest,
  RevokeRequest,
} from '@switchboard/domain/ports';

/**
 * How one kind of grant is obtained, used, renewed and revoked. The credential format is private to the
 * scheme.
 */
export interface AuthScheme {
  readonly begin?: (request: BeginRequest) => Promise<Result<AuthorizationRedirect, AuthorizeFailureCode>>;
  readonly accept?: (request: AcceptRequest) => Promise<Result<Grant, AuthorizeFailureCode>>;
  readonly complete?: (request: CompleteRequest) => Promise<Result<Grant, AuthorizeFailureCode>>;
  readonly login?: (request: LoginRequest) => Promise<Result<Grant, AuthorizeFailureCode>>;
  /** The grant of imported tokens; omitted where none can be imported. */
  readonly importGrant?: (request: ImportRequest) => Promise<Result<ImportedGrant, ImportFailureCode>>;
  /** Derives the credential of one account from the credential of the login and the account's own token. */
  readonly deriveAccountCredential?: (login: Secret, token: Secret) => Secret;
  /** Opens a credential that this scheme wrote; throws on a credential of another scheme, which is a bug. */
  open(credential: Secret): AuthenticatedTransport;
  /**
   * Exchanges a credential for a new one. The caller runs one renewal at a time and never aborts one that has
   * started.
   */
  renew(renewal: TokenRenewalRequest): Promise<TokenRenewalResult>;
  revoke(request: RevokeRequest): Promise<Result<undefined, PlatformFailureCode>>;
  /** The secret of the app that the grant was issued to; omitted where there is no app, or its secret is not known. */
  readonly findAppSecret?: (
    grant: TokenRenewalRequest,
  ) => Promise<
    Result<
      Secret,
      'platform.not_configured' | 'platform.unavailable' | 'vault.unavailable' | 'vault.unreadable'
    >
  >;
  /** Whether two credentials belong to the same grant; omitted where each login has its own grant. */
  readonly sharesGrant?: (one: Secret, other: Secret, byAccount: boolean) => boolean;
}

interface AuthorizationRedirect {
  readonly url: string;
  readonly context: Secret;
}

/** An opened credential. */
export interface AuthenticatedTransport {
  /** The account ID, where the credential contains it. */
  readonly subject: string | null;
  readonly obtainedAt: Date;
  readonly accessExpiresAt: Date | null;
  readonly isRenewable: boolean;
  /**
   * Sends a request with the credential attached; `tokenScheme` replaces `Bearer` (RFC 6750) in
   * `Authorization`.
   */
  send(request: OutboundRequest, tokenScheme?: PlatformRequest['tokenScheme']): Promise<OutboundOutcome>;
  /** Whether the response rejects the credential, which implies that the request had no effect. */
  isCredentialRejected(answer: OutboundResponse): boolean;
}

export interface TokenRenewalRequest {
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  readonly credential: Secret;
}

export type TokenRenewalResult =
  | {
      readonly kind: 'renewed';
      readonly credential: Secret;
      readonly accessExpiresAt: Date | null;
      readonly permissions: readonly string[];
    }
  /** The platform ended the grant. Only the account owner can issue a new one. */
  | { readonly kind: 'over' }
  /** The renewal may succeed later, or after the operator fixes the configuration. */
  | {
      readonly kind: 'failed';
      readonly failure: Failure<
        'platform.unavailable' | 'platform.not_configured' | 'vault.unavailable' | 'vault.unreadable'
      >;
      /** Whether the outcome at the platform is unknown: no response arrived, or it was unreadable. */
      readonly unsettled: boolean;
    };
