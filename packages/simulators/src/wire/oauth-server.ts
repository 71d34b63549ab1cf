import { createHash, randomBytes } from 'node:crypto';
import { redirectTo, consentPage, messagePage } from './consent-page.js';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from './exchange.js';

/** An app registered at a platform. */
export interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

/** The owner of a token, and its scopes. */
export interface Bearer {
  readonly account: string;
  readonly scopes: readonly string[];
}

/** A user's grant to an app. */
export interface OAuthGrant extends Bearer {
  readonly clientId: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** RFC 6749, 5.2 and 4.1.2.1. */
export type OAuthErrorCode =
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_refresh_token'
  | 'unsupported_grant_type';

/** RFC 6749's authorization code flow, with the deviations documented by one platform. */
export interface OAuthServerOptions<App extends OAuthApp = OAuthApp> {
  readonly apps: readonly App[];
  readonly now: () => Date;
  /** The user logged in at the consent page: the form's `account`, or this default. */
  readonly account: string;
  readonly paths: { readonly authorize: string; readonly token: string; readonly revoke?: string };
  readonly clientIdName?: 'client_key';
  /** Default: `body`. */
  readonly clientAuth?: 'header';
  readonly separator?: ',';
  readonly knows: (scope: string) => boolean;
  /** Omitted: optional. */
  readonly pkce?: 'required' | 'ignored';
  /** Default: 600. */
  readonly codeSeconds?: number;
  /** Infinity: the token is permanent, and its response has no lifetime. */
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
    /** A used token works again for this time, until its successor is used. */
    readonly graceSeconds?: number;
  } | null;
  /** The platform's error code for a cancelled consent; `stays`: the user stays at the platform. */
  readonly denied?: Readonly<Record<string, string>> | 'stays';
  readonly checkAuthorization?: (fields: Fields) => WireResponse | null;
  /** Another reason to reject a token request, before the app is authenticated. */
  readonly checkToken?: (fields: Fields, request: WireRequest) => WireResponse | null;
  /** The granted scopes, of those requested by an app. */
  readonly grantedScopes?: (scopes: readonly string[], app: App) => readonly string[];
  /** The parameters of the redirect to the app. */
  readonly callback?: (
    parameters: Readonly<Record<string, string>>,
    app: App,
    grant: OAuthGrant,
  ) => Readonly<Record<string, string>>;
  /** Whether the authorization request may omit the response type. */
  readonly omitsResponseType?: true;
  readonly omitsRedirectUri?: true;
  /** Whether a token request fits its code in the platform's own parameters. */
  readonly fitsCode?: (fields: Fields, grant: OAuthGrant) => boolean;
  /** Grant types of the platform itself. */
  readonly grantTypes?: Readonly<Record<string, (app: App, fields: Fields) => WireResponse>>;
  readonly defaultGrantType?: 'authorization_code';
  /** The lifetime of one access token. */
  readonly accessSecondsOf?: (fields: Fields) => number;
  /**
   * An app has one token per account: with `replace` a new grant ends the others, with `reuse` it is the
   * same.
   */
  readonly onlyToken?: 'replace' | 'reuse';
  readonly newToken?: (kind: 'code' | 'access' | 'refresh') => string;
  /** Additional response fields beyond RFC 6749, or the complete response in another format. */
  readonly present?: (token: Readonly<Record<string, unknown>>, grant: OAuthGrant, app: App) => unknown;
  /** Another error format of the token endpoint; undefined: that of RFC 6749. */
  readonly refuse?: (error: OAuthErrorCode) => WireResponse | undefined;
  /** Another response to a revocation. */
  readonly revocation?: WireResponse;
}

interface AuthorizationCode extends OAuthGrant {
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly endsAtMs: number;
}

export interface IssuedToken extends OAuthGrant {
  readonly endsAtMs: number;
}

interface RefreshToken extends IssuedToken {
  readonly predecessor: string | null;
  usedAtMs: number | null;
}

const DESCRIPTIONS: Readonly<Record<OAuthErrorCode, readonly [status: number, description: string]>> = {
  invalid_client: [401, 'Client authentication failed'],
  invalid_grant: [400, 'The code is not valid'],
  invalid_refresh_token: [400, 'The refresh token is not valid'],
  unsupported_grant_type: [400, 'The grant type is not supported'],
};

interface Apps<App extends OAuthApp> {
  find(clientId: unknown): App | undefined;
  /** Null when the app or its secret is wrong. */
  authenticate(clientId: unknown, clientSecret: unknown): App | null;
}

function registeredApps<App extends OAuthApp>(apps: readonly App[]): Apps<App> {
  const find = (clientId: unknown) => apps.find((app) => app.clientId === clientId);
  return {
    find,
    authenticate: (clientId, clientSecret) => {
      const app = find(clientId);
      return app?.clientSecret === clientSecret ? (app ?? null) : null;
    },
  };
}

function createToken<App extends OAuthApp>(
  { newToken }: OAuthServerOptions<App>,
  kind: 'code' | 'access' | 'refresh',
): string {
  return newToken?.(kind) ?? randomBytes(24).toString('base64url');
}

/** Shows the consent page and, where the user approves, issues a code. */
function authorizationEndpoint<App extends OAuthApp>(
  options: OAuthServerOptions<App>,
  apps: Apps<App>,
  codes: Map<string, AuthorizationCode>,
) {
  const { clientIdName = 'client_id', separator = ' ', pkce } = options;

  function readRequest(fields: Fields) {
    const app = apps.find(fields[clientIdName]);
    const redirectUri = textOf(fields['redirect_uri']);
    if (!app?.redirectUris.includes(redirectUri)) return messagePage(400, 'Something is wrong with this app');
    const scopes = textOf(fields['scope']).split(separator);
    if (!scopes.every((scope) => options.knows(scope))) return messagePage(400, 'Invalid scope');
    const challenge = (pkce !== 'ignored' && textOf(fields['code_challenge'])) || null;
    const isPlain = challenge !== null && fields['code_challenge_method'] !== 'S256';
    const hasType = fields['response_type'] === 'code' || options.omitsResponseType;
    if ((pkce === 'required' && challenge === null) || isPlain || !hasType) {
      return messagePage(400, 'Invalid request');
    }
    return options.checkAuthorization?.(fields) ?? { app, redirectUri, scopes, challenge };
  }

  return {
    showConsent(query: URLSearchParams): WireResponse {
      const requested = readRequest(Object.fromEntries(query));
      return 'status' in requested ? requested : consentPage(requested.app.clientId, query);
    },

    decide(fields: Fields): WireResponse {
      const requested = readRequest(fields);
      if ('status' in requested) return requested;
      const { app, redirectUri, challenge } = requested;
      const state = textOf(fields['state']);
      const { denied = {}, codeSeconds = 600, grantedScopes, callback } = options;
      if (fields['decision'] !== 'approve') {
        return denied === 'stays'
          ? messagePage(200, 'Apps')
          : redirectTo(redirectUri, { error: 'access_denied', ...denied, state });
      }
      const declined = textOf(fields['declined']).split(separator);
      const accepted = requested.scopes.filter((scope) => !declined.includes(scope));
      const grant: OAuthGrant = {
        clientId: app.clientId,
        account: textOf(fields['account']) || options.account,
        scopes: grantedScopes?.(accepted, app) ?? accepted,
      };
      const code = createToken(options, 'code');
      const endsAtMs = options.now().getTime() + codeSeconds * 1_000;
      codes.set(code, { ...grant, redirectUri, challenge, endsAtMs });
      const parameters = { code, ...(state !== '' && { state }) };
      return redirectTo(redirectUri, callback?.(parameters, app, grant) ?? parameters);
    },
  };
}

/** The valid tokens of a platform. */
function tokenStore<App extends OAuthApp>(options: OAuthServerOptions<App>) {
  const { refresh, onlyToken, separator = ' ' } = options;
  const accessTokens = new Map<string, IssuedToken>();
  const refreshTokens = new Map<string, RefreshToken>();
  const nowMs = () => options.now().getTime();

  function end(isMeant: (grant: IssuedToken) => boolean): void {
    for (const held of [accessTokens, refreshTokens])
      for (const [text, grant] of held) if (isMeant(grant)) held.delete(text);
  }

  function issue({ clientId, account, scopes }: OAuthGrant, seconds: number): string {
    const [same] = [...accessTokens].find(
      ([, held]) => held.clientId === clientId && held.account === account,
    ) ?? [null];
    const text = onlyToken === 'reuse' && same !== null ? same : createToken(options, 'access');
    accessTokens.set(text, { clientId, account, scopes, endsAtMs: nowMs() + seconds * 1_000 });
    return text;
  }

  /** The tokens of a grant, as the response of the token endpoint states them; `used` is the refresh token. */
  function respond(
    app: App,
    { clientId, account, scopes }: OAuthGrant,
    fields: Fields,
    refreshEndsAtMs: number | null,
    used: string | null,
  ): WireResponse {
    const grant = { clientId, account, scopes };
    const seconds = options.accessSecondsOf?.(fields) ?? options.accessSeconds;
    if (onlyToken === 'replace' && used === null) {
      // The permanent ones, or those with a lifetime.
      const isPermanent = ({ endsAtMs }: IssuedToken) => endsAtMs === Infinity;
      end(
        (one) =>
          one.clientId === clientId && one.account === account && isPermanent(one) === (seconds === Infinity),
      );
    }
    const access_token = issue(grant, seconds);
    const isExpiring = seconds !== Infinity;
    const scope = scopes.join(separator);
    const stated: Record<string, unknown> = { token_type: 'bearer', access_token, scope };
    if (isExpiring) stated['expires_in'] = seconds;
    if (refreshEndsAtMs !== null && isExpiring) {
      const refreshToken = used !== null && !refresh?.rotates ? used : createToken(options, 'refresh');
      const predecessor = refreshToken === used ? null : used;
      refreshTokens.set(refreshToken, { ...grant, endsAtMs: refreshEndsAtMs, predecessor, usedAtMs: null });
      stated['refresh_token'] = refreshToken;
      if (refresh?.field !== undefined)
        stated[refresh.field] = Math.floor((refreshEndsAtMs - nowMs()) / 1_000);
    }
    return okResponse(options.present ? options.present(stated, grant, app) : stated);
  }

  return { accessTokens, refreshTokens, end, issue, respond };
}

/** Exchanges codes, refreshes tokens and revokes them. */
function tokenEndpoint<App extends OAuthApp>(
  options: OAuthServerOptions<App>,
  apps: Apps<App>,
  codes: Map<string, AuthorizationCode>,
  { accessTokens, refreshTokens, respond }: ReturnType<typeof tokenStore<App>>,
) {
  const { clientIdName = 'client_id', refresh } = options;
  const revoked: string[] = [];
  const nowMs = () => options.now().getTime();

  function refuse(error: OAuthErrorCode): WireResponse {
    const [status, error_description] = DESCRIPTIONS[error];
    const code = error === 'invalid_refresh_token' ? 'invalid_grant' : error;
    return options.refuse?.(error) ?? { status, json: { error: code, error_description } };
  }

  /** The requesting app, authenticated by its secret in the documented place. */
  function authenticateApp({ headers, body }: WireRequest): App | null {
    const fields = fieldsOf(body);
    if (options.clientAuth !== 'header')
      return apps.authenticate(fields[clientIdName], fields['client_secret']);
    const [, encoded = ''] = /^Basic (.+)$/.exec(textOf(headers['authorization'])) ?? [];
    const [id, secret] = Buffer.from(encoded, 'base64').toString().split(':').map(decodeURIComponent);
    return apps.authenticate(id, secret);
  }

  function exchangeCode(app: App, fields: Fields): WireResponse {
    const { omitsRedirectUri = false, fitsCode = () => true } = options;
    const text = textOf(fields['code']);
    const code = codes.get(text);
    codes.delete(text);
    const verifier = createHash('sha256').update(textOf(fields['code_verifier'])).digest('base64url');
    const fits =
      code?.clientId === app.clientId &&
      (omitsRedirectUri || code.redirectUri === fields['redirect_uri']) &&
      code.endsAtMs > nowMs() &&
      (code.challenge === null || code.challenge === verifier) &&
      fitsCode(fields, code);
    if (!fits) return refuse('invalid_grant');
    const renews = refresh && (refresh.scope === undefined || code.scopes.includes(refresh.scope));
    return respond(app, code, fields, renews ? nowMs() + refresh.seconds * 1_000 : null, null);
  }

  function refreshGrant(app: App, fields: Fields): WireResponse {
    const text = textOf(fields['refresh_token']);
    const held = refreshTokens.get(text);
    const graceMs = (refresh?.graceSeconds ?? 0) * 1_000;
    const isLate = held && held.usedAtMs !== null && held.usedAtMs + graceMs < nowMs();
    if (!refresh || held?.clientId !== app.clientId || held.endsAtMs <= nowMs() || isLate) {
      return refuse('invalid_refresh_token');
    }
    // Using the returned token proves that the client has it, so the previous one is retired only now.
    if (held.predecessor !== null) refreshTokens.delete(held.predecessor);
    held.usedAtMs ??= nowMs();
    if (refresh.rotates && graceMs === 0) refreshTokens.delete(text);
    const endsAtMs = refresh.fixed ? held.endsAtMs : nowMs() + refresh.seconds * 1_000;
    return respond(app, held, fields, endsAtMs, text);
  }

  return {
    revoked,
    exchange(request: WireRequest): WireResponse {
      const fields = fieldsOf(request.body);
      const wrong = options.checkToken?.(fields, request);
      if (wrong) return wrong;
      const app = authenticateApp(request);
      if (!app) return refuse('invalid_client');
      const grantType = textOf(fields['grant_type']) || (options.defaultGrantType ?? '');
      const own = options.grantTypes?.[grantType];
      if (own) return own(app, fields);
      if (grantType === 'authorization_code') return exchangeCode(app, fields);
      return grantType === 'refresh_token' ? refreshGrant(app, fields) : refuse('unsupported_grant_type');
    },
    revoke(request: WireRequest): WireResponse {
      const app = authenticateApp(request);
      if (!app) return refuse('invalid_client');
      const text = textOf(fieldsOf(request.body)['token']);
      for (const held of [accessTokens, refreshTokens]) {
        if (held.get(text)?.clientId === app.clientId) held.delete(text);
      }
      revoked.push(text);
      return options.revocation ?? okResponse({});
    },
  };
}

/** Consent, codes and tokens of one platform. It records revocations. */
export function oauthServer<App extends OAuthApp>(options: OAuthServerOptions<App>) {
  const apps = registeredApps(options.apps);
  const codes = new Map<string, AuthorizationCode>();
  const tokens = tokenStore(options);
  const { accessTokens, refreshTokens, end, issue } = tokens;
  const authorization = authorizationEndpoint(options, apps, codes);
  const token = tokenEndpoint(options, apps, codes, tokens);

  /** The owner of the token; null when it is invalid. */
  function grantOf(accessToken: string): OAuthGrant | null {
    const held = accessTokens.get(accessToken);
    return held && held.endsAtMs > options.now().getTime() ? held : null;
  }

  return {
    grantOf,
    end,
    appOf: (clientId: unknown, clientSecret: unknown) => apps.authenticate(clientId, clientSecret),
    /** An access token issued in another way. Infinite seconds: it does not expire. */
    issue,
    /** The owner of the token in a request's header, or in its query. */
    bearerOf: ({ headers, query }: WireRequest): OAuthGrant | null => {
      const [, stated] = /^(?:Bearer|OAuth) (.+)$/i.exec(textOf(headers['authorization'])) ?? [];
      return grantOf(stated ?? query.get('access_token') ?? '');
    },
    /** The expiry of a token; null when there is none. */
    endOf: (accessToken: string): Date | null => {
      const ms = accessTokens.get(accessToken)?.endsAtMs;
      return ms === undefined || ms === Infinity ? null : new Date(ms);
    },
    /** The currently valid refresh tokens. */
    refreshTokens: (): readonly string[] => [...refreshTokens.keys()],
    /** Revoked tokens, oldest first. */
    revoked: (): readonly string[] => token.revoked,
    /** Expires every access token that has a lifetime. */
    expireTokens(): void {
      for (const [text, { endsAtMs }] of accessTokens) if (endsAtMs !== Infinity) accessTokens.delete(text);
    },
    /** The account owner revokes all grants of an account. */
    withdraw: (account: string): void => end((grant) => grant.account === account),
    serve(request: WireRequest): WireResponse | null {
      const { paths } = options;
      switch (`${request.method} ${request.path}`) {
        case `GET ${paths.authorize}`:
          return authorization.showConsent(request.query);
        case `POST ${paths.authorize}`:
          return authorization.decide(fieldsOf(request.body));
        case `POST ${paths.token}`:
          return token.exchange(request);
        case `POST ${paths.revoke ?? ''}`:
          return token.revoke(request);
        default:
          return null;
      }
    },
  };
}

export type OAuthServer = ReturnType<typeof oauthServer>;
