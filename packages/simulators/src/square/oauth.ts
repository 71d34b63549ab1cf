import { createHash, randomBytes } from 'node:crypto';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { redirectTo, consentPage, messagePage } from '../wire/consent-page.js';

/** An application of the Developer Console. */
export interface SquareApp {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

export interface SquareGrant {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

export interface SellerOauthOptions {
  readonly merchantId: string;
  readonly apps: readonly SquareApp[];
  readonly now: () => Date;
}

interface AuthorizationCode extends SquareGrant {
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly endsAtMs: number;
}

const CODE_MS = 5 * 60_000;
const TOKEN_MS = 30 * 86_400_000;

const notAuthorized: WireResponse = {
  status: 401,
  json: { message: 'Not Authorized', type: 'service.not_authorized' },
};
const badRequest = (message: string): WireResponse => ({
  status: 400,
  json: { message, type: 'bad_request' },
});

/**
 * Consent, codes and tokens of one seller, as documented by Square (packages/platforms/src/square/NOTES.md).
 */
export function sellerOauth({ merchantId, apps, now }: SellerOauthOptions) {
  const codes = new Map<string, AuthorizationCode>();
  const tokens = new Map<string, SquareGrant & { readonly endsAtMs: number }>();
  const refreshTokens = new Map<string, SquareGrant>();
  const revoked: string[] = [];
  const nowMs = () => now().getTime();
  const created = () => `EAAA${randomBytes(30).toString('base64url')}`;
  const appOf = (clientId: unknown) => apps.find((app) => app.clientId === clientId);

  function readAuthorizationRequest(fields: Readonly<Record<string, unknown>>) {
    const app = appOf(fields['client_id']);
    const redirectUri = textOf(fields['redirect_uri']);
    if (!app || !app.redirectUris.includes(redirectUri)) return messagePage(400, 'Application not found');
    const scopes = textOf(fields['scope']).split(' ');
    if (scopes.some((scope) => !/^[A-Z]+(_[A-Z]+)+$/.test(scope))) return messagePage(400, 'Invalid scope');
    return { app, redirectUri, scopes };
  }

  function consent(query: URLSearchParams): WireResponse {
    const requested = readAuthorizationRequest(Object.fromEntries(query));
    return 'status' in requested ? requested : consentPage(requested.app.clientId, query);
  }

  function decide(fields: Readonly<Record<string, unknown>>): WireResponse {
    const requested = readAuthorizationRequest(fields);
    if ('status' in requested) return requested;
    const { app, redirectUri, scopes } = requested;
    const state = textOf(fields['state']);
    if (fields['decision'] !== 'approve') {
      return redirectTo(redirectUri, { error: 'access_denied', error_description: 'user_denied', state });
    }
    const code = `sq0cgb-${randomBytes(16).toString('base64url')}`;
    codes.set(code, {
      clientId: app.clientId,
      scopes,
      redirectUri,
      endsAtMs: nowMs() + CODE_MS,
      challenge: textOf(fields['code_challenge']) || null,
    });
    return redirectTo(redirectUri, { code, response_type: 'code', state });
  }

  function token(fields: Readonly<Record<string, unknown>>): WireResponse {
    const app = appOf(fields['client_id']);
    if (!app) return notAuthorized;
    const grant = fields['grant_type'];
    if (grant !== 'authorization_code' && grant !== 'refresh_token') return badRequest('invalid grant_type');
    if (app.clientSecret !== fields['client_secret']) return notAuthorized;
    return grant === 'refresh_token' ? refresh(app, fields) : exchange(app, fields);
  }

  function exchange(app: SquareApp, fields: Readonly<Record<string, unknown>>): WireResponse {
    const code = codes.get(textOf(fields['code']));
    codes.delete(textOf(fields['code']));
    const verifier = createHash('sha256').update(textOf(fields['code_verifier'])).digest('base64url');
    const fits =
      code?.clientId === app.clientId &&
      code.redirectUri === fields['redirect_uri'] &&
      code.endsAtMs > nowMs() &&
      (code.challenge === null || code.challenge === verifier);
    if (!fits) return notAuthorized;
    const refreshToken = created();
    refreshTokens.set(refreshToken, { clientId: app.clientId, scopes: code.scopes });
    return granted(app, code.scopes, refreshToken);
  }

  /** The same refresh token is returned: in the code flow it does not expire. */
  function refresh(app: SquareApp, fields: Readonly<Record<string, unknown>>): WireResponse {
    const text = textOf(fields['refresh_token']);
    const held = refreshTokens.get(text);
    return held?.clientId === app.clientId
      ? granted(app, held.scopes, text)
      : badRequest('Invalid refresh token');
  }

  function granted({ clientId }: SquareApp, scopes: readonly string[], refreshToken: string): WireResponse {
    const access = created();
    const endsAtMs = nowMs() + TOKEN_MS;
    tokens.set(access, { clientId, scopes, endsAtMs });
    return okResponse({
      access_token: access,
      token_type: 'bearer',
      expires_at: new Date(endsAtMs).toISOString().replace(/\.\d+Z$/, 'Z'),
      merchant_id: merchantId,
      refresh_token: refreshToken,
      short_lived: false,
    });
  }

  /** Revokes everything that the seller granted to the application, whichever token is given. */
  function revoke(authorization: string, fields: Readonly<Record<string, unknown>>): WireResponse {
    const app = appOf(fields['client_id']);
    if (!app || authorization !== `Client ${app.clientSecret}`) return notAuthorized;
    const held = tokens.get(textOf(fields['access_token']));
    if (held?.clientId !== app.clientId && fields['merchant_id'] !== merchantId) {
      return { status: 404, json: { message: 'Access token not found', type: 'not_found' } };
    }
    revoked.push(app.clientId);
    for (const held of [tokens, refreshTokens])
      for (const [text, { clientId }] of held) if (clientId === app.clientId) held.delete(text);
    return okResponse({ success: true });
  }

  return {
    grantOf(access: string): SquareGrant | null {
      const held = tokens.get(access);
      return held && held.endsAtMs > nowMs() ? held : null;
    },
    /** Applications whose grant was revoked. */
    revoked: (): readonly string[] => revoked,
    /** Expires every access token, as after thirty days. */
    expireTokens: () => tokens.clear(),
    serve({ method, path, query, headers, body }: WireRequest): WireResponse | null {
      const isJson = String(headers['content-type']).startsWith('application/json');
      switch (`${method} ${path}`) {
        case 'GET /oauth2/authorize':
          return consent(query);
        case 'POST /oauth2/authorize':
          return decide(fieldsOf(body));
        case 'POST /oauth2/token':
          return isJson ? token(fieldsOf(body)) : badRequest('Content-Type must be application/json');
        case 'POST /oauth2/revoke':
          return isJson ? revoke(textOf(headers['authorization']), fieldsOf(body)) : badRequest('Send JSON');
        default:
          return null;
      }
    },
  };
}

export type SellerOauth = ReturnType<typeof sellerOauth>;
