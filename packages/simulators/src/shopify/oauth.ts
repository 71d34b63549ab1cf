import { createHmac, randomBytes } from 'node:crypto';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { redirectTo, consentPage, messagePage } from '../wire/consent-page.js';

/** An app of the Dev Dashboard. */
export interface ShopApp {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  /** Whether it belongs to the store's own organization: it may then request tokens without consent. */
  readonly ownStore?: boolean;
  /** The scopes of its configuration, when no consent is requested. */
  readonly scopes?: readonly string[];
}

export interface ShopGrant {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

export interface ShopOauthOptions {
  /** `acme.myshopify.com` */
  readonly shop: string;
  readonly apps: readonly ShopApp[];
  readonly now: () => Date;
}

interface AccessToken extends ShopGrant {
  readonly kind: 'offline' | 'expiring' | 'client_credentials';
  readonly endsAtMs: number;
}

interface RefreshToken extends ShopGrant {
  /** Used once; it may be used again until its successor is used. */
  usedAtMs: number | null;
  readonly before: string | null;
  readonly endsAtMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const REFRESH_DAYS = 90;
const RETRY_DAYS = 30;

const invalid = (error: string, error_description: string, status = 400): WireResponse => ({
  status,
  json: { error, error_description },
});
const unknownToken: WireResponse = {
  status: 401,
  json: { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' },
};

/** The granted scopes: write includes read. */
const compactScopes = (scopes: readonly string[]) =>
  scopes.filter((scope) => !scopes.includes(scope.replace(/^read_/, 'write_')) || scope.startsWith('write_'));

/**
 * Consent, codes and tokens of one store, as documented on shopify.dev
 * (packages/platforms/src/shopify/NOTES.md).
 */
export function shopOauth({ shop, apps, now }: ShopOauthOptions) {
  const codes = new Map<string, ShopGrant>();
  const tokens = new Map<string, AccessToken>();
  const refreshTokens = new Map<string, RefreshToken>();
  const uninstalled: string[] = [];
  const nowMs = () => now().getTime();
  const created = (prefix: string) => `${prefix}_${randomBytes(16).toString('hex')}`;
  const appOf = (clientId: unknown) => apps.find((app) => app.clientId === clientId);

  function readAuthorizationRequest(fields: Readonly<Record<string, unknown>>) {
    const app = appOf(fields['client_id']);
    if (!app) return messagePage(400, 'Oauth error application_cannot_be_found');
    const redirectUri = textOf(fields['redirect_uri']);
    if (!app.redirectUris.includes(redirectUri)) {
      return messagePage(400, 'Oauth error invalid_request: The redirect_uri is not whitelisted');
    }
    const scopes = textOf(fields['scope']).split(',');
    if (scopes.some((scope) => !/^(read|write)_[a-z_]+$/.test(scope))) {
      return messagePage(400, 'Oauth error invalid_scope');
    }
    return { app, redirectUri, scopes };
  }

  function consent(query: URLSearchParams): WireResponse {
    const requested = readAuthorizationRequest(Object.fromEntries(query));
    return 'status' in requested ? requested : consentPage(requested.app.clientId, query);
  }

  function decide(fields: Readonly<Record<string, unknown>>): WireResponse {
    const requested = readAuthorizationRequest(fields);
    if ('status' in requested) return requested;
    // A user who cancels stays in the store's admin.
    if (fields['decision'] !== 'approve') return messagePage(200, 'Apps');
    const { app, redirectUri, scopes } = requested;
    const code = randomBytes(16).toString('hex');
    codes.set(code, { clientId: app.clientId, scopes: compactScopes(scopes) });
    return redirectTo(redirectUri, signed(app, code, textOf(fields['state'])));
  }

  /** The callback's query, signed with the app's secret. */
  function signed(app: ShopApp, code: string, state: string): Record<string, string> {
    const name = shop.split('.')[0] ?? '';
    const query = {
      code,
      host: Buffer.from(`admin.shopify.com/store/${name}`).toString('base64'),
      shop,
      ...(state !== '' && { state }),
      timestamp: String(Math.floor(nowMs() / 1_000)),
    };
    const hmac = createHmac('sha256', app.clientSecret)
      .update(new URLSearchParams(query).toString())
      .digest('hex');
    return { ...query, hmac };
  }

  function token(fields: Readonly<Record<string, unknown>>): WireResponse {
    const app = appOf(fields['client_id']);
    if (!app || app.clientSecret !== fields['client_secret']) {
      return invalid('invalid_client', 'Client authentication failed');
    }
    switch (fields['grant_type'] ?? 'authorization_code') {
      case 'authorization_code':
        return exchange(app, fields);
      case 'refresh_token':
        return refresh(app, textOf(fields['refresh_token']));
      case 'client_credentials':
        return grantOwn(app);
      default:
        return invalid('unsupported_grant_type', 'Grant type not supported');
    }
  }

  function exchange(app: ShopApp, fields: Readonly<Record<string, unknown>>): WireResponse {
    const grant = codes.get(textOf(fields['code']));
    codes.delete(textOf(fields['code']));
    if (grant?.clientId !== app.clientId) {
      return invalid('invalid_request', 'The authorization code was not found or was already used');
    }
    if (fields['expiring'] !== '1') {
      const access = created('shpat');
      tokens.set(access, { ...grant, kind: 'offline', endsAtMs: Infinity });
      return okResponse({ access_token: access, scope: grant.scopes.join(',') });
    }
    // A store has one expiring token per app.
    forget((held) => held.clientId === app.clientId && held.kind === 'expiring');
    for (const [text, held] of refreshTokens) if (held.clientId === app.clientId) refreshTokens.delete(text);
    return expiring(grant, null);
  }

  function expiring({ clientId, scopes }: ShopGrant, before: string | null): WireResponse {
    const [access, next] = [created('shpat'), created('shprt')];
    tokens.set(access, { clientId, scopes, kind: 'expiring', endsAtMs: nowMs() + HOUR_MS });
    const endsAtMs = nowMs() + REFRESH_DAYS * DAY_MS;
    refreshTokens.set(next, { clientId, scopes, usedAtMs: null, before, endsAtMs });
    return okResponse({
      access_token: access,
      scope: scopes.join(','),
      expires_in: HOUR_MS / 1_000,
      refresh_token: next,
      refresh_token_expires_in: (REFRESH_DAYS * DAY_MS) / 1_000,
    });
  }

  function refresh(app: ShopApp, text: string): WireResponse {
    const held = refreshTokens.get(text);
    const late =
      held && (held.endsAtMs <= nowMs() || (held.usedAtMs ?? nowMs()) + RETRY_DAYS * DAY_MS < nowMs());
    if (held?.clientId !== app.clientId || late) {
      return invalid('invalid_request', 'This request requires an active refresh_token', 401);
    }
    // Using the returned token proves that the client has it, so the previous one is retired only now.
    if (held.before !== null) refreshTokens.delete(held.before);
    held.usedAtMs ??= nowMs();
    return expiring(held, text);
  }

  function grantOwn(app: ShopApp): WireResponse {
    if (!app.ownStore) {
      return invalid('shop_not_permitted', 'Client credentials cannot be performed on this shop.');
    }
    const [access, scopes] = [created('shpat'), compactScopes(app.scopes ?? [])];
    tokens.set(access, {
      clientId: app.clientId,
      scopes,
      kind: 'client_credentials',
      endsAtMs: nowMs() + DAY_MS,
    });
    return okResponse({ access_token: access, scope: scopes.join(','), expires_in: DAY_MS / 1_000 - 1 });
  }

  /** Uninstalls the app, and revokes everything that it was ever granted. */
  function uninstall(access: string): WireResponse {
    const grant = grantOf(access);
    if (!grant) return unknownToken;
    const { clientId } = grant;
    forget((held) => held.clientId === clientId);
    for (const [text, held] of refreshTokens) if (held.clientId === clientId) refreshTokens.delete(text);
    uninstalled.push(clientId);
    return okResponse({});
  }

  function forget(whom: (token: AccessToken) => boolean): void {
    for (const [text, held] of tokens) if (whom(held)) tokens.delete(text);
  }

  function grantOf(access: string): ShopGrant | null {
    const held = tokens.get(access);
    return held && held.endsAtMs > nowMs() ? held : null;
  }

  return {
    grantOf,
    /** Apps that requested their own uninstallation. */
    uninstalled: (): readonly string[] => uninstalled,
    /** Expires every expiring access token. */
    expireTokens: () => forget(({ kind }) => kind !== 'offline'),
    /** The currently valid refresh tokens. */
    refreshTokens: (): readonly string[] => [...refreshTokens.keys()],
    serve({ method, path, query, headers, body }: WireRequest): WireResponse | null {
      switch (`${method} ${path}`) {
        case 'GET /admin/oauth/authorize':
          return consent(query);
        case 'POST /admin/oauth/authorize':
          return decide(fieldsOf(body));
        case 'POST /admin/oauth/access_token':
          return token(fieldsOf(body));
        case 'DELETE /admin/api_permissions/current.json':
          return uninstall(textOf(headers['x-shopify-access-token']));
        default:
          return null;
      }
    },
  };
}

export type ShopOauth = ReturnType<typeof shopOauth>;
