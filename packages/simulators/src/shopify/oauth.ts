import { createHmac, randomBytes } from 'node:crypto';
import { okResponse, textOf, type WireRequest, type WireResponse } from '../wire/exchange.js';
import { oauthServer, type OAuthApp, type OAuthErrorCode } from '../wire/oauth-server.js';

/** An app of the Dev Dashboard. */
export interface ShopApp extends OAuthApp {
  /** Whether it belongs to the store's own organization: it may then request tokens without consent. */
  readonly ownStore?: boolean;
  /** The scopes of its configuration, when no consent is requested. */
  readonly scopes?: readonly string[];
}

interface ShopOauthOptions {
  /** `acme.myshopify.com` */
  readonly shop: string;
  readonly apps: readonly ShopApp[];
  readonly now: () => Date;
}

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

const ERRORS: Readonly<Record<OAuthErrorCode, readonly [status: number, error: string, words: string]>> = {
  invalid_client: [400, 'invalid_client', 'Client authentication failed'],
  invalid_grant: [400, 'invalid_request', 'The authorization code was not found or was already used'],
  invalid_refresh_token: [401, 'invalid_request', 'This request requires an active refresh_token'],
  unsupported_grant_type: [400, 'unsupported_grant_type', 'Grant type not supported'],
};
export const unknownToken: WireResponse = {
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
  const uninstalled: string[] = [];
  const server = oauthServer<ShopApp>({
    apps,
    now,
    account: shop,
    paths: { authorize: '/admin/oauth/authorize', token: '/admin/oauth/access_token' },
    separator: ',',
    knows: (scope) => /^(read|write)_[a-z_]+$/.test(scope),
    omitsResponseType: true,
    omitsRedirectUri: true,
    codeSeconds: DAY_SECONDS,
    accessSeconds: HOUR_SECONDS,
    // Tokens are permanent unless the app requests expiring ones, of which a store has one per app.
    accessSecondsOf: ({ expiring, refresh_token: renewed }) =>
      expiring === '1' || renewed !== undefined ? HOUR_SECONDS : Infinity,
    onlyToken: 'replace',
    refresh: {
      seconds: 90 * DAY_SECONDS,
      rotates: true,
      fixed: false,
      field: 'refresh_token_expires_in',
      graceSeconds: 30 * DAY_SECONDS,
    },
    // A user who cancels stays in the store's admin.
    denied: 'stays',
    grantedScopes: compactScopes,
    callback: (parameters, app) => signedCallback(parameters, app, shop, now()),
    defaultGrantType: 'authorization_code',
    grantTypes: { client_credentials: (app) => grantOwn(app) },
    newToken: (kind) => `${kind === 'refresh' ? 'shprt' : 'shpat'}_${randomBytes(16).toString('hex')}`,
    present: ({ token_type: _, ...token }) => token,
    refuse: (error) => {
      const [status, code, error_description] = ERRORS[error];
      return { status, json: { error: code, error_description } };
    },
  });

  function grantOwn({ clientId, ownStore, scopes = [] }: ShopApp): WireResponse {
    if (!ownStore) {
      const error_description = 'Client credentials cannot be performed on this shop.';
      return { status: 400, json: { error: 'shop_not_permitted', error_description } };
    }
    const granted = compactScopes(scopes);
    const access_token = server.issue({ clientId, account: shop, scopes: granted }, DAY_SECONDS);
    return okResponse({ access_token, scope: granted.join(','), expires_in: DAY_SECONDS - 1 });
  }

  /** Uninstalls the app, and revokes everything that it was ever granted. */
  function uninstall({ headers }: WireRequest): WireResponse {
    const grant = server.grantOf(textOf(headers['x-shopify-access-token']));
    if (!grant) return unknownToken;
    server.end(({ clientId }) => clientId === grant.clientId);
    uninstalled.push(grant.clientId);
    return okResponse({});
  }

  return {
    ...server,
    /** Apps that requested their own uninstallation. */
    uninstalled: (): readonly string[] => uninstalled,
    serve: (request: WireRequest): WireResponse | null =>
      `${request.method} ${request.path}` === 'DELETE /admin/api_permissions/current.json'
        ? uninstall(request)
        : server.serve(request),
  };
}

/** The callback's query, signed with the app's secret. */
function signedCallback(
  { code = '', state }: Readonly<Record<string, string>>,
  { clientSecret }: ShopApp,
  shop: string,
  now: Date,
): Record<string, string> {
  const name = shop.split('.')[0] ?? '';
  const query = {
    code,
    host: Buffer.from(`admin.shopify.com/store/${name}`).toString('base64'),
    shop,
    ...(state !== undefined && { state }),
    timestamp: String(Math.floor(now.getTime() / 1_000)),
  };
  const hmac = createHmac('sha256', clientSecret).update(new URLSearchParams(query).toString()).digest('hex');
  return { ...query, hmac };
}
