import type {
  AcceptRequest,
  AuthorizeFailureCode,
  BeginRequest,
  CompleteRequest,
  ConnectMethod,
  Failure,
  Grant,
  LoginRequest,
  Manifest,
  OutboundResponse,
  OutboundOutcome,
  OutboundRequest,
  PlatformFailureCode,
  PlatformRequest,
  ProfileId,
  Result,
  RevokeRequest,
  Secret,
  WorkspaceId,
} from '@switchboard/domain';

/** How one kind of grant is got, used, renewed and given back. Behind it, a credential is a text of the scheme's own. */
export interface AuthScheme {
  readonly begin?: (request: BeginRequest) => Promise<Result<AuthorizationRedirect, AuthorizeFailureCode>>;
  readonly accept?: (request: AcceptRequest) => Promise<Result<Grant, AuthorizeFailureCode>>;
  readonly complete?: (request: CompleteRequest) => Promise<Result<Grant, AuthorizeFailureCode>>;
  readonly login?: (request: LoginRequest) => Promise<Result<Grant, AuthorizeFailureCode>>;
  /** The credential of one account of a login: the login's, with the token that is the account's own. */
  readonly deriveAccountCredential?: (login: Secret, token: Secret) => Secret;
  /** Reads a credential that this scheme wrote; another's is a bug and throws. */
  open(credential: Secret): AuthenticatedTransport;
  /** Gets a new credential for an old one. Called by one flight at a time, and never aborted once it has begun. */
  renew(renewal: TokenRenewalRequest): Promise<TokenRenewalResult>;
  revoke(request: RevokeRequest): Promise<Result<undefined, PlatformFailureCode>>;
  /** Whether two credentials live on one grant; left out where each login has one of its own. */
  readonly sharesGrant?: (one: Secret, other: Secret, byAccount: boolean) => boolean;
}

export interface AuthorizationRedirect {
  readonly url: string;
  readonly context: Secret;
}

/** An opened credential. */
export interface AuthenticatedTransport {
  /** Whose it is, where the credential says so. */
  readonly subject: string | null;
  readonly obtainedAt: Date;
  readonly accessExpiresAt: Date | null;
  readonly isRenewable: boolean;
  /** Sends a request with the credential in it: a token after this word, where `Authorization` takes it (RFC 6750's unless it is said). */
  send(request: OutboundRequest, tokenScheme?: PlatformRequest['tokenScheme']): Promise<OutboundOutcome>;
  /** Whether the answer says that the credential was not accepted: then nothing has happened. */
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
  /** The platform says that the grant is over. Only the account's owner can give a new one. */
  | { readonly kind: 'over' }
  /** It may work later, or when the operator has mended something. */
  | {
      readonly kind: 'failed';
      readonly failure: Failure<
        'platform.unavailable' | 'platform.not_configured' | 'vault.unavailable' | 'vault.unreadable'
      >;
      /** Nobody knows whether it was renewed there: no answer came, or none that can be read. */
      readonly unsettled: boolean;
    };
