export interface CodeRequest {
  /** The requesting app: no other app may exchange the code. */
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly account: string;
  /** Other accounts that the login includes. */
  readonly also: readonly string[];
  readonly scopes: readonly string[];
}

export interface IssuedCode extends CodeRequest {
  readonly expiresAt: number;
  family: string | undefined;
}

/** All tokens of one consent. Revoking it ends all of them. */
export interface TokenFamily {
  readonly id: string;
  /**
   * The app that it was granted to: no other may refresh or revoke it. Omitted in older files: the sandbox's
   * own.
   */
  readonly client?: string;
  readonly account: string;
  /** Other accounts that the login includes; omitted: none. */
  readonly also?: readonly string[];
  readonly scopes: readonly string[];
  readonly revoked: RevocationReason | null;
}

export interface StoredToken {
  readonly hash: string;
  readonly kind: 'access' | 'refresh';
  readonly family: string;
  readonly scopes: readonly string[];
  /** `null`: does not expire. */
  readonly expiresAt: number | null;
  /** A refresh token that was rotated, or an access token that was revoked alone. */
  readonly spent: boolean;
}

export type RevocationReason = 'revoked' | 'refresh_reuse' | 'code_reuse' | 'owner';

export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly scope: string;
}

export type Bearer =
  | {
      readonly state: 'valid';
      readonly account: string;
      readonly scopes: readonly string[];
      /** For a login with several accounts: all of them, each with a new token of its own. */
      readonly pages?: (() => readonly PageToken[]) | undefined;
    }
  | { readonly state: 'invalid' | 'expired' | 'revoked' };

/** An account with a token for this account alone that does not expire. */
export interface PageToken {
  readonly account: string;
  readonly token: string;
}

/** The error codes of RFC 6749 5.2. */
export interface GrantRefusal {
  readonly error: 'invalid_grant' | 'invalid_scope';
  readonly error_description: string;
}
