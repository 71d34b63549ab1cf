import { createHash, randomBytes } from 'node:crypto';
import { hashOf } from '../faults.js';
import type { PlatformName, World } from '../world.js';
import { SANDBOX_CLIENT } from './client.js';
import type {
  Bearer,
  IssuedCode,
  CodeRequest,
  TokenFamily,
  GrantRefusal,
  PageToken,
  RevocationReason,
  StoredToken,
  TokenResponse,
} from './grant.js';

/** The state of one authorization server: its grants and tokens. */
export interface GrantStore {
  issueCode(request: CodeRequest): string;
  exchangeCode(
    client: string,
    code: string,
    redirectUri: string,
    verifier: string,
  ): TokenResponse | GrantRefusal;
  refresh(client: string, token: string, scopes: readonly string[] | undefined): TokenResponse | GrantRefusal;
  revoke(client: string, token: string): GrantRefusal | undefined;
  bearer(token: string): Bearer;
  /** The account of a current or former token. */
  accountOf(tokenHash: string): string | null;
  expireAccessTokens(account: string | undefined): number;
  revokeFamilies(account: string): number;
}

const CODE_LIFETIME_MS = 60_000;

export function createGrantStore(world: World, platform: PlatformName): GrantStore {
  const { clock, journal, ledger, settings } = world;
  // Codes are valid for a minute; a restart may discard them.
  const codes = new Map<string, IssuedCode>();
  const families = journal.collection<TokenFamily>(`${platform}.families`);
  const tokens = journal.collection<StoredToken>(`${platform}.tokens`);
  const secret = (kind: string) => `sbx_${platform}_${kind}_${randomBytes(32).toString('base64url')}`;
  const nowMs = () => clock.now().getTime();

  function end(family: TokenFamily, reason: RevocationReason): void {
    if (family.revoked !== null) return;
    families.set(family.id, { ...family, revoked: reason });
    record('token.revoked', family, family.id, { family: family.id, reason });
  }

  function record(
    effect: 'token.issued' | 'token.revoked',
    family: TokenFamily,
    id: string,
    details: Record<string, string>,
  ): void {
    const { account } = family;
    const client = appOf(family);
    const entry = { platform, effect, account, id, reference: null, details: { ...details, client } };
    ledger.append(entry, clock.now());
  }

  function remember(
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
    family: TokenFamily,
    scopes: readonly string[],
    grant: 'authorization_code' | 'refresh_token',
    spent?: StoredToken,
  ): TokenResponse {
    const { access_token_seconds, refresh_tokens } = settings.current();
    const wantsRefresh =
      refresh_tokens === 'rotating' || (refresh_tokens === 'fixed' && grant === 'authorization_code');
    let access = '';
    let refresh: string | undefined;
    journal.transaction(() => {
      if (grant === 'authorization_code') families.set(family.id, family);
      if (spent && refresh_tokens === 'rotating') tokens.set(spent.hash, { ...spent, spent: true });
      access = remember('access', family, scopes, nowMs() + access_token_seconds * 1000);
      if (wantsRefresh) refresh = remember('refresh', family, family.scopes, null);
    });
    record('token.issued', family, hashOf(access), { grant, family: family.id, scope: scopes.join(' ') });
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: access_token_seconds,
      ...(refresh === undefined ? {} : { refresh_token: refresh }),
      scope: scopes.join(' '),
    };
  }

  function pageOf(client: string, account: string, scopes: readonly string[]): PageToken {
    const family: TokenFamily = { id: familyId(), client, account, scopes, revoked: null };
    let token = '';
    journal.transaction(() => {
      families.set(family.id, family);
      token = remember('access', family, scopes, null);
    });
    const details = { grant: 'page', family: family.id, scope: scopes.join(' ') };
    record('token.issued', family, hashOf(token), details);
    return { account, token };
  }

  return {
    issueCode(request) {
      const code = secret('code');
      codes.set(hashOf(code), { ...request, expiresAt: nowMs() + CODE_LIFETIME_MS, family: undefined });
      return code;
    },

    exchangeCode(client, provided, redirectUri, verifier) {
      const code = codes.get(hashOf(provided));
      if (code === undefined) return refused('The code is unknown.');
      if (code.family !== undefined) {
        const family = families.get(code.family);
        if (family) end(family, 'code_reuse');
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
      if (code.expiresAt <= nowMs()) return refused('The code has expired.');
      if (code.redirectUri !== redirectUri)
        return refused('redirect_uri differs from the authorization request.');
      if (challengeOf(verifier) !== code.challenge) return refused('code_verifier does not match.');
      return issue(family, code.scopes, 'authorization_code');
    },

    refresh(client, provided, scopes) {
      const token = tokens.get(hashOf(provided));
      const family = token && families.get(token.family);
      if (!token || !family || token.kind !== 'refresh') return refused('The refresh token is unknown.');
      if (appOf(family) !== client) return refused('The refresh token was issued to another app.');
      if (family.revoked !== null) return refused('The grant has been revoked.');
      if (token.spent) {
        end(family, 'refresh_reuse');
        return refused('The refresh token was used before; the grant has been revoked.');
      }
      const requested = scopes ?? family.scopes;
      if (!requested.every((scope) => family.scopes.includes(scope))) {
        return {
          error: 'invalid_scope',
          error_description: 'A refresh cannot request more scopes than were granted.',
        };
      }
      return issue(family, requested, 'refresh_token', token);
    },

    revoke(client, provided) {
      const token = tokens.get(hashOf(provided));
      const family = token && families.get(token.family);
      if (!token || !family) return undefined;
      if (appOf(family) !== client) return refused('The token was issued to another app.');
      if (family.revoked !== null || token.spent) return undefined;
      if (token.kind === 'refresh') {
        end(family, 'revoked');
        return undefined;
      }
      tokens.set(token.hash, { ...token, spent: true });
      record('token.revoked', family, token.hash, { family: family.id, reason: 'revoked' });
      return undefined;
    },

    bearer(provided) {
      const token = tokens.get(hashOf(provided));
      const family = token && families.get(token.family);
      if (!token || !family || token.kind !== 'access') return { state: 'invalid' };
      if (family.revoked !== null || token.spent) return { state: 'revoked' };
      if (token.expiresAt !== null && token.expiresAt <= nowMs()) return { state: 'expired' };
      const { account, also } = family;
      const pages = also && (() => [account, ...also].map((one) => pageOf(appOf(family), one, token.scopes)));
      return { state: 'valid', account, scopes: token.scopes, pages };
    },

    accountOf(tokenHash) {
      const token = tokens.get(tokenHash);
      return (token && families.get(token.family)?.account) ?? null;
    },

    expireAccessTokens(account) {
      const now = nowMs();
      const live = tokens
        .values()
        .filter(
          (token) =>
            token.kind === 'access' &&
            (token.expiresAt ?? Infinity) > now &&
            (account === undefined || families.get(token.family)?.account === account),
        );
      journal.transaction(() =>
        live.forEach((token) => tokens.set(token.hash, { ...token, expiresAt: now })),
      );
      return live.length;
    },

    revokeFamilies(account) {
      const live = families
        .values()
        .filter((family) => family.account === account && family.revoked === null);
      live.forEach((family) => end(family, 'owner'));
      return live.length;
    },
  };
}

const appOf = ({ client }: TokenFamily) => client ?? SANDBOX_CLIENT.id;

const familyId = () => `grant_${randomBytes(9).toString('hex')}`;

function refused(reason: string): GrantRefusal {
  return { error: 'invalid_grant', error_description: reason };
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
