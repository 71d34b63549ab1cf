import { createHash, randomBytes } from 'node:crypto';
import { hashOf } from '../faults.js';
import type { PlatformName, World } from '../world.js';
import { SANDBOX_CLIENT } from './client.js';

const CODE_LIFETIME_MS = 60_000;

/** The grants and tokens of one authorization server. */
function openGrants(world: World, platform: PlatformName) {
  const { clock, journal } = world;
  return {
    world,
    platform,
    // Codes are valid for a minute; a restart may discard them.
    codes: new Map<string, IssuedCode>(),
    families: journal.collection<TokenFamily>(`${platform}.families`),
    tokens: journal.collection<StoredToken>(`${platform}.tokens`),
    nowMs: () => clock.now().getTime(),
    secret: (kind: string) =>
      `sbx_${platform}_${kind}_${world.installation}_${randomBytes(32).toString('base64url')}`,
  };
}
type Grants = ReturnType<typeof openGrants>;

export function createGrantStore(world: World, platform: PlatformName) {
  const grants = openGrants(world, platform);
  const { codes, families, tokens, nowMs, secret } = grants;
  return {
    issueCode(request: CodeRequest): string {
      const code = secret('code');
      codes.set(hashOf(code), { ...request, expiresAt: nowMs() + CODE_LIFETIME_MS, family: undefined });
      return code;
    },
    exchangeCode: (...requested: [client: string, code: string, redirectUri: string, verifier: string]) =>
      exchangeCode(grants, ...requested),
    refresh: (client: string, token: string, scopes: readonly string[] | undefined) =>
      refresh(grants, client, token, scopes),
    revoke: (client: string, token: string) => revoke(grants, client, token),
    bearer: (token: string) => bearerOf(grants, token),
    /** The account of a current or former token. */
    accountOf(tokenHash: string): string | null {
      const token = tokens.get(tokenHash);
      return (token && families.get(token.family)?.account) ?? null;
    },
    expireAccessTokens(account: string | undefined): number {
      const now = nowMs();
      const live = tokens
        .values()
        .filter(
          ({ kind, expiresAt, family }) =>
            kind === 'access' &&
            (expiresAt ?? Infinity) > now &&
            (account === undefined || families.get(family)?.account === account),
        );
      world.journal.transaction(() =>
        live.forEach((token) => tokens.set(token.hash, { ...token, expiresAt: now })),
      );
      return live.length;
    },
    revokeFamilies(account: string): number {
      const live = families
        .values()
        .filter((family) => family.account === account && family.revoked === null);
      live.forEach((family) => end(grants, family, 'owner'));
      return live.length;
    },
  };
}

/** The state of one authorization server: its grants and tokens. */
export type GrantStore = ReturnType<typeof createGrantStore>;

function end(grants: Grants, family: TokenFamily, reason: RevocationReason): void {
  if (family.revoked !== null) return;
  grants.families.set(family.id, { ...family, revoked: reason });
  record(grants, 'token.revoked', family, family.id, { reason });
}

function record(
  { world: { clock, ledger }, platform }: Grants,
  effect: 'token.issued' | 'token.revoked',
  family: TokenFamily,
  id: string,
  more: Readonly<Record<string, string>>,
): void {
  const details = { ...more, family: family.id, client: appOf(family) };
  ledger.append({ platform, effect, account: family.account, id, reference: null, details }, clock.now());
}

function remember(
  { tokens, secret }: Grants,
  kind: StoredToken['kind'],
  family: TokenFamily,
  scopes: readonly string[],
  expiresAt: number | null,
): string {
  const token = secret(kind === 'access' ? 'at' : 'rt');
  const hash = hashOf(token);
  tokens.set(hash, { hash, kind, family: family.id, scopes, expiresAt, spent: false });
  return token;
}

function issue(
  grants: Grants,
  family: TokenFamily,
  scopes: readonly string[],
  grant: 'authorization_code' | 'refresh_token',
  spent?: StoredToken,
) {
  const { world, families, tokens, nowMs } = grants;
  const { access_token_seconds, refresh_tokens } = world.settings.current();
  const wantsRefresh =
    refresh_tokens === 'rotating' || (refresh_tokens === 'fixed' && grant === 'authorization_code');
  let access = '';
  let refreshToken: string | undefined;
  world.journal.transaction(() => {
    if (grant === 'authorization_code') families.set(family.id, family);
    if (spent && refresh_tokens === 'rotating') tokens.set(spent.hash, { ...spent, spent: true });
    access = remember(grants, 'access', family, scopes, nowMs() + access_token_seconds * 1000);
    if (wantsRefresh) refreshToken = remember(grants, 'refresh', family, family.scopes, null);
  });
  const scope = scopes.join(' ');
  record(grants, 'token.issued', family, hashOf(access), { grant, scope });
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: access_token_seconds,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    scope,
  };
}

function pageOf(grants: Grants, client: string, account: string, scopes: readonly string[]): PageToken {
  const family: TokenFamily = { id: familyId(), client, account, scopes, revoked: null };
  let token = '';
  grants.world.journal.transaction(() => {
    grants.families.set(family.id, family);
    token = remember(grants, 'access', family, scopes, null);
  });
  record(grants, 'token.issued', family, hashOf(token), { grant: 'page', scope: scopes.join(' ') });
  return { account, token };
}

function exchangeCode(
  grants: Grants,
  client: string,
  provided: string,
  redirectUri: string,
  verifier: string,
) {
  const code = grants.codes.get(hashOf(provided));
  if (code === undefined) return refuseUnknown(grants, provided, 'The code is unknown.');
  if (code.family !== undefined) {
    const family = grants.families.get(code.family);
    if (family) end(grants, family, 'code_reuse');
    return refused('The code was used before; its tokens have been revoked.');
  }
  // A code is valid for one attempt only, even a failed one.
  const family: TokenFamily = {
    id: familyId(),
    client: code.client,
    account: code.account,
    ...(code.also.length > 0 && { also: code.also }),
    scopes: code.scopes,
    revoked: null,
  };
  code.family = family.id;
  if (code.client !== client) return refused('The code was issued to another app.');
  if (code.expiresAt <= grants.nowMs()) return refused('The code has expired.');
  if (code.redirectUri !== redirectUri)
    return refused('redirect_uri differs from the authorization request.');
  if (challengeOf(verifier) !== code.challenge) return refused('code_verifier does not match.');
  return issue(grants, family, code.scopes, 'authorization_code');
}

function tokenIn({ tokens, families }: Grants, provided: string) {
  const token = tokens.get(hashOf(provided));
  const family = token && families.get(token.family);
  return token && family ? { token, family } : undefined;
}

function refresh(grants: Grants, client: string, provided: string, scopes: readonly string[] | undefined) {
  const found = tokenIn(grants, provided);
  if (found?.token.kind !== 'refresh')
    return refuseUnknown(grants, provided, 'The refresh token is unknown.');
  const { token, family } = found;
  if (appOf(family) !== client) return refused('The refresh token was issued to another app.');
  if (family.revoked !== null) return refused('The grant has been revoked.');
  if (token.spent) {
    end(grants, family, 'refresh_reuse');
    return refused('The refresh token was used before; the grant has been revoked.');
  }
  const requested = scopes ?? family.scopes;
  if (requested.every((scope) => family.scopes.includes(scope)))
    return issue(grants, family, requested, 'refresh_token', token);
  const error_description = 'A refresh cannot request more scopes than were granted.';
  return { error: 'invalid_scope', error_description };
}

function revoke(grants: Grants, client: string, provided: string): GrantRefusal | undefined {
  const found = tokenIn(grants, provided);
  if (!found) return namesOtherInstallation(grants, provided) ? OTHER_INSTALLATION : undefined;
  const { token, family } = found;
  if (appOf(family) !== client) return refused('The token was issued to another app.');
  if (family.revoked !== null || token.spent) return undefined;
  if (token.kind === 'refresh') end(grants, family, 'revoked');
  else {
    grants.tokens.set(token.hash, { ...token, spent: true });
    record(grants, 'token.revoked', family, token.hash, { reason: 'revoked' });
  }
  return undefined;
}

function bearerOf(grants: Grants, provided: string): Bearer {
  const found = tokenIn(grants, provided);
  if (found?.token.kind !== 'access')
    return { state: namesOtherInstallation(grants, provided) ? 'other_installation' : 'invalid' };
  const { token, family } = found;
  if (family.revoked !== null || token.spent) return { state: 'revoked' };
  if (token.expiresAt !== null && token.expiresAt <= grants.nowMs()) return { state: 'expired' };
  const { account, also } = family;
  const pages =
    also && (() => [account, ...also].map((one) => pageOf(grants, appOf(family), one, token.scopes)));
  return { state: 'valid', account, scopes: token.scopes, pages };
}

/** The installation that issued a code or token: it is part of the text. */
const issuerOf = (provided: string): string | undefined =>
  /^sbx_[a-z]+_[a-z]+_([0-9a-f]{12})_/.exec(provided)?.[1];

function namesOtherInstallation({ world }: Grants, provided: string): boolean {
  const issuer = issuerOf(provided);
  return issuer !== undefined && issuer !== world.installation;
}

export const OTHER_INSTALLATION_MESSAGE =
  'The sandbox of another installation issued this credential, and it may be valid there. This port belongs to a different installation: stop one of them, or set SWITCHBOARD_SANDBOX_PORT.';
const OTHER_INSTALLATION: GrantRefusal = {
  error: 'temporarily_unavailable',
  error_description: OTHER_INSTALLATION_MESSAGE,
};

const refuseUnknown = (grants: Grants, provided: string, reason: string): GrantRefusal =>
  namesOtherInstallation(grants, provided) ? OTHER_INSTALLATION : refused(reason);

const appOf = ({ client }: TokenFamily) => client ?? SANDBOX_CLIENT.id;

const familyId = () => `grant_${randomBytes(9).toString('hex')}`;

const refused = (reason: string): GrantRefusal => ({ error: 'invalid_grant', error_description: reason });

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

interface CodeRequest {
  /** The requesting app: no other app may exchange the code. */
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly account: string;
  /** Other accounts that the login includes. */
  readonly also: readonly string[];
  readonly scopes: readonly string[];
}

interface IssuedCode extends CodeRequest {
  readonly expiresAt: number;
  family: string | undefined;
}

/** All tokens of one consent. Revoking it ends all of them. */
interface TokenFamily {
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

interface StoredToken {
  readonly hash: string;
  readonly kind: 'access' | 'refresh';
  readonly family: string;
  readonly scopes: readonly string[];
  /** `null`: does not expire. */
  readonly expiresAt: number | null;
  /** A refresh token that was rotated, or an access token that was revoked alone. */
  readonly spent: boolean;
}

type RevocationReason = 'revoked' | 'refresh_reuse' | 'code_reuse' | 'owner';

export type Bearer =
  | {
      readonly state: 'valid';
      readonly account: string;
      readonly scopes: readonly string[];
      /** For a login with several accounts: all of them, each with a new token of its own. */
      readonly pages?: (() => readonly PageToken[]) | undefined;
    }
  | { readonly state: 'invalid' | 'expired' | 'revoked' | 'other_installation' };

/** An account with a token for this account alone that does not expire. */
interface PageToken {
  readonly account: string;
  readonly token: string;
}

/** The error codes of RFC 6749 5.2, and `temporarily_unavailable` of 4.1.2.1. */
interface GrantRefusal {
  readonly error: 'invalid_grant' | 'invalid_scope' | 'temporarily_unavailable';
  readonly error_description: string;
}
