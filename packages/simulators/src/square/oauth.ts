import { randomBytes } from 'node:crypto';
import { fieldsOf, okResponse, textOf, type WireRequest, type WireResponse } from '../wire/exchange.js';
import { oauthServer, type OAuthApp } from '../wire/oauth-server.js';

interface SellerOauthOptions {
  readonly merchantId: string;
  readonly apps: readonly OAuthApp[];
  readonly now: () => Date;
}

const TOKEN_SECONDS = 30 * 86_400;

const notAuthorized: WireResponse = {
  status: 401,
  json: { message: 'Not Authorized', type: 'service.not_authorized' },
};
const badRequest = (message: string): WireResponse => ({
  status: 400,
  json: { message, type: 'bad_request' },
});
const isJson = ({ headers }: WireRequest) => String(headers['content-type']).startsWith('application/json');

/**
 * Consent, codes and tokens of one seller, as documented by Square (packages/platforms/src/square/NOTES.md).
 */
export function sellerOauth({ merchantId, apps, now }: SellerOauthOptions) {
  const revoked: string[] = [];
  const server = oauthServer({
    apps,
    now,
    account: merchantId,
    paths: { authorize: '/oauth2/authorize', token: '/oauth2/token' },
    knows: (scope) => /^[A-Z]+(_[A-Z]+)+$/.test(scope),
    omitsResponseType: true,
    codeSeconds: 5 * 60,
    accessSeconds: TOKEN_SECONDS,
    // In the code flow the same refresh token is returned, and does not expire.
    refresh: { seconds: Infinity, rotates: false, fixed: true },
    denied: { error_description: 'user_denied' },
    callback: (parameters) => ({ ...parameters, response_type: 'code' }),
    checkToken: (_fields, request) =>
      isJson(request) ? null : badRequest('Content-Type must be application/json'),
    newToken: (kind) => `${kind === 'code' ? 'sq0cgb-' : 'EAAA'}${randomBytes(30).toString('base64url')}`,
    present: ({ access_token, refresh_token }) => ({
      access_token,
      token_type: 'bearer',
      expires_at: new Date(now().getTime() + TOKEN_SECONDS * 1_000).toISOString().replace(/\.\d+Z$/, 'Z'),
      merchant_id: merchantId,
      refresh_token,
    }),
    refuse(error) {
      if (error === 'unsupported_grant_type') return badRequest('invalid grant_type');
      return error === 'invalid_refresh_token' ? badRequest('Invalid refresh token') : notAuthorized;
    },
  });

  /** Revokes everything that the seller granted to the application, whichever token is given. */
  function revoke(request: WireRequest): WireResponse {
    if (!isJson(request)) return badRequest('Send JSON');
    const { client_id: id, access_token: token, merchant_id: merchant } = fieldsOf(request.body);
    const app = apps.find(({ clientId }) => clientId === id);
    if (!app || request.headers['authorization'] !== `Client ${app.clientSecret}`) return notAuthorized;
    if (server.grantOf(textOf(token))?.clientId !== id && merchant !== merchantId) {
      return { status: 404, json: { message: 'Access token not found', type: 'not_found' } };
    }
    revoked.push(app.clientId);
    server.end(({ clientId }) => clientId === id);
    return okResponse({ success: true });
  }

  return {
    ...server,
    /** Applications whose grant was revoked. */
    revoked: (): readonly string[] => revoked,
    serve: (request: WireRequest): WireResponse | null =>
      `${request.method} ${request.path}` === 'POST /oauth2/revoke' ? revoke(request) : server.serve(request),
  };
}
