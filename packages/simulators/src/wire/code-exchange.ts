import { createHash, randomBytes } from 'node:crypto';
import { redirectTo, consentPage, messagePage } from './consent-page.js';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from './exchange.js';

/** An app registered at a platform. */
export interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

/** A user's grant to an app. */
export interface OAuthGrant {
  readonly clientId: string;
  readonly account: string;
  readonly scopes: readonly string[];
}

/** RFC 6749's authorization code flow, with the deviations documented by one platform. */
export interface CodeExchangeOptions {
  readonly apps: readonly OAuthApp[];
  readonly now: () => Date;
  /** The user logged in at the consent page: the form's `account`, or this default. */
  readonly account: string;
  readonly paths: { readonly authorize: string; readonly token: string; readonly revoke?: string };
  readonly clientIdName?: 'client_key';
  readonly clientAuth: 'header' | 'body';
  readonly separator?: ',';
  readonly knows: (scope: string) => boolean;
  readonly pkce: 'required' | 'optional';
  readonly codeSeconds: number;
  readonly accessSeconds: number;
  /** Null: no refresh tokens. `rotates`: each works once; `fixed`: refreshing does not extend them. */
  readonly refresh: {
    readonly seconds: number;
    readonly rotates: boolean;
    readonly fixed: boolean;
    /** The field with the lifetime. */
    readonly field?: string;
    /** The scope required for a refresh token. */
    readonly scope?: string;
  } | null;
  /** The platform's error code for a cancelled consent. */
  readonly denied?: Readonly<Record<string, string>>;
  /** Additional response fields beyond RFC 6749, or the complete response in another format. */
  readonly present?: (token: Readonly<Record<string, unknown>>, grant: OAuthGrant) => unknown;
}

interface AuthorizationCode extends OAuthGrant {
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly endsAtMs: number;
}

interface IssuedToken extends OAuthGrant {
  readonly endsAtMs: number;
}

const refused = (error: string, error_description: string, status = 400): WireResponse => ({
  status,
  json: { error, error_description },
});

const token = () => randomBytes(24).toString('base64url');

/** Consent, codes and tokens of one platform. It records revocations. */
export function codeExchange(options: CodeExchangeOptions) {
  const { apps, now, separator = ' ', clientIdName = 'client_id' } = options;
  const codes = new Map<string, AuthorizationCode>();
  const accessTokens = new Map<string, IssuedToken>();
  const refreshTokens = new Map<string, IssuedToken>();
  const revoked: string[] = [];
  const nowMs = () => now().getTime();
  const appOf = (clientId: unknown) => apps.find((app) => app.clientId === clientId);

  function readAuthorizationRequest(fields: Readonly<Record<string, unknown>>) {
    const app = appOf(fields[clientIdName]);
    const redirectUri = textOf(fields['redirect_uri']);
    if (!app?.redirectUris.includes(redirectUri)) return messagePage(400, 'Something is wrong with this app');
    const scopes = textOf(fields['scope']).split(separator);
    if (!scopes.every((scope) => options.knows(scope))) return messagePage(400, 'Invalid scope');
    const challenge = textOf(fields['code_challenge']) || null;
    const plain = challenge !== null && fields['code_challenge_method'] !== 'S256';
    if ((options.pkce === 'required' && challenge === null) || plain || fields['response_type'] !== 'code') {
      return messagePage(400, 'Invalid request');
    }
    return { app, redirectUri, scopes, challenge };
  }

  function consent(query: URLSearchParams): WireResponse {
    const requested = readAuthorizationRequest(Object.fromEntries(query));
    return 'status' in requested ? requested : consentPage(requested.app.clientId, query);
  }

  function decide(fields: Readonly<Record<string, unknown>>): WireResponse {
    const requested = readAuthorizationRequest(fields);
    if ('status' in requested) return requested;
    const { app, redirectUri, scopes, challenge } = requested;
    const state = textOf(fields['state']);
    if (fields['decision'] !== 'approve') {
      return redirectTo(redirectUri, { error: 'access_denied', ...options.denied, state });
    }
    const declined = textOf(fields['declined']).split(separator);
    const code = token();
    codes.set(code, {
      clientId: app.clientId,
      redirectUri,
      challenge,
      account: textOf(fields['account']) || options.account,
      scopes: scopes.filter((scope) => !declined.includes(scope)),
      endsAtMs: nowMs() + options.codeSeconds * 1_000,
    });
    return redirectTo(redirectUri, { code, state });
  }

  /** The requesting app, authenticated by its secret in the documented place. */
  function asker({ headers, body }: WireRequest): OAuthApp | null {
    const fields = fieldsOf(body);
    if (options.clientAuth === 'body') {
      const app = appOf(fields[clientIdName]);
      return app?.clientSecret === fields['client_secret'] ? (app ?? null) : null;
    }
    const [, encoded = ''] = /^Basic (.+)$/.exec(textOf(headers['authorization'])) ?? [];
    const [id, secret] = Buffer.from(encoded, 'base64').toString().split(':').map(decodeURIComponent);
    const app = appOf(id);
    return app?.clientSecret === secret ? (app ?? null) : null;
  }

  function exchange(request: WireRequest): WireResponse {
    const fields = fieldsOf(request.body);
    const app = asker(request);
    if (!app) return refused('invalid_client', 'Client authentication failed', 401);
    switch (fields['grant_type']) {
      case 'authorization_code':
        return forCode(app, fields);
      case 'refresh_token':
        return forRefreshToken(app, textOf(fields['refresh_token']));
      default:
        return refused('unsupported_grant_type', 'The grant type is not supported');
    }
  }

  function forCode(app: OAuthApp, fields: Readonly<Record<string, unknown>>): WireResponse {
    const text = textOf(fields['code']);
    const code = codes.get(text);
    codes.delete(text);
    const verifier = createHash('sha256').update(textOf(fields['code_verifier'])).digest('base64url');
    const fits =
      code?.clientId === app.clientId &&
      code.redirectUri === fields['redirect_uri'] &&
      code.endsAtMs > nowMs() &&
      (code.challenge === null || code.challenge === verifier);
    if (!fits) return refused('invalid_grant', 'The code is not valid');
    const { refresh } = options;
    const renews = refresh && (refresh.scope === undefined || code.scopes.includes(refresh.scope));
    return granted(code, renews ? nowMs() + refresh.seconds * 1_000 : null, null);
  }

  function forRefreshToken(app: OAuthApp, text: string): WireResponse {
    const held = refreshTokens.get(text);
    const { refresh } = options;
    if (!refresh || held?.clientId !== app.clientId || held.endsAtMs <= nowMs()) {
      return refused('invalid_grant', 'The refresh token is not valid');
    }
    if (refresh.rotates) refreshTokens.delete(text);
    const endsAtMs = refresh.fixed ? held.endsAtMs : nowMs() + refresh.seconds * 1_000;
    return granted(held, endsAtMs, refresh.rotates ? null : text);
  }

  function granted(grant: OAuthGrant, refreshEndsAtMs: number | null, same: string | null): WireResponse {
    const { clientId, account, scopes } = grant;
    const accessToken = issue(grant, options.accessSeconds);
    const refreshToken = refreshEndsAtMs === null ? null : (same ?? token());
    if (refreshToken !== null && refreshEndsAtMs !== null) {
      refreshTokens.set(refreshToken, { clientId, account, scopes, endsAtMs: refreshEndsAtMs });
    }
    const field = options.refresh?.field;
    const stated = {
      token_type: 'bearer',
      access_token: accessToken,
      expires_in: options.accessSeconds,
      scope: scopes.join(separator),
      ...(refreshToken !== null && { refresh_token: refreshToken }),
      ...(refreshEndsAtMs !== null &&
        field !== undefined && { [field]: Math.floor((refreshEndsAtMs - nowMs()) / 1_000) }),
    };
    return okResponse(options.present ? options.present(stated, grant) : stated);
  }

  /** An access token issued in another way. Infinite seconds: it does not expire. */
  function issue({ clientId, account, scopes }: OAuthGrant, seconds: number): string {
    const text = token();
    accessTokens.set(text, { clientId, account, scopes, endsAtMs: nowMs() + seconds * 1_000 });
    return text;
  }

  function revoke(request: WireRequest): WireResponse {
    const app = asker(request);
    if (!app) return refused('invalid_client', 'Client authentication failed', 401);
    const text = textOf(fieldsOf(request.body)['token']);
    for (const held of [accessTokens, refreshTokens]) {
      if (held.get(text)?.clientId === app.clientId) held.delete(text);
    }
    revoked.push(text);
    return okResponse({});
  }

  return {
    issue,
    appOf: (clientId: string, clientSecret: string): OAuthApp | null => {
      const app = appOf(clientId);
      return app?.clientSecret === clientSecret ? app : null;
    },
    /** The owner of the token; null when it is invalid. */
    grantOf(accessToken: string): OAuthGrant | null {
      const held = accessTokens.get(accessToken);
      return held && held.endsAtMs > nowMs() ? held : null;
    },
    /** The expiry of a token; null when there is none. */
    endOf: (accessToken: string): Date | null => {
      const ms = accessTokens.get(accessToken)?.endsAtMs;
      return ms === undefined || ms === Infinity ? null : new Date(ms);
    },
    /** The currently valid refresh tokens. */
    refreshTokens: (): readonly string[] => [...refreshTokens.keys()],
    /** Revoked tokens, oldest first. */
    revoked: (): readonly string[] => revoked,
    /** Expires every access token. */
    expireTokens: () => accessTokens.clear(),
    /** The account owner revokes all grants of an account. */
    withdraw(account: string): void {
      for (const held of [accessTokens, refreshTokens])
        for (const [text, grant] of held) if (grant.account === account) held.delete(text);
    },
    serve(request: WireRequest): WireResponse | null {
      const { paths } = options;
      switch (`${request.method} ${request.path}`) {
        case `GET ${paths.authorize}`:
          return consent(request.query);
        case `POST ${paths.authorize}`:
          return decide(fieldsOf(request.body));
        case `POST ${paths.token}`:
          return exchange(request);
        case `POST ${paths.revoke ?? ''}`:
          return revoke(request);
        default:
          return null;
      }
    },
  };
}

export type CodeExchange = ReturnType<typeof codeExchange>;
