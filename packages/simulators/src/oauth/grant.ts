export interface CodeRequest {
  /** The app that asked: nobody else may exchange it. */
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly account: string;
  /** Whom else the login opens. */
  readonly also: readonly string[];
  readonly scopes: readonly string[];
}

export interface IssuedCode extends CodeRequest {
  readonly expiresAt: number;
  family: string | undefined;
}

/** All tokens that come from one consent. Whoever has it ended ends all of them. */
export interface TokenFamily {
  readonly id: string;
  /** The app that it was granted to: no other may renew it or end it. Left out, in files of before: the sandbox's own. */
  readonly client?: string;
  readonly account: string;
  /** Whom else the login opens; left out: nobody. */
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
  /** A refresh token that was rotated away, or an access token that was revoked alone. */
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
      /** Where the login opens several accounts: all of them, each with a new token of its own. */
      readonly pages?: (() => readonly PageToken[]) | undefined;
    }
  | { readonly state: 'invalid' | 'expired' | 'revoked' };

/** An account with a token that opens it alone and does not expire. */
export interface PageToken {
  readonly account: string;
  readonly token: string;
}

/** Why a grant is refused, in the words of RFC 6749 5.2. */
export interface GrantRefusal {
  readonly error: 'invalid_grant' | 'invalid_scope';
  readonly error_description: string;
}
