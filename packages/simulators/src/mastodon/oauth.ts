import { createHash, randomBytes } from 'node:crypto';
import {
  okResponse,
  fieldsOf,
  refusal,
  textOf,
  type WireResponse,
  type WireRequest,
} from '../wire/exchange.js';
import type { MastodonBearer } from './api.js';

export interface MastodonApp {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}

interface AuthorizationCode {
  readonly app: MastodonApp;
  readonly accountId: string;
  readonly challenge: string | null;
}

export interface InstanceOauthOptions {
  readonly origin: () => string;
  /** Whether it serves metadata and supports PKCE: servers since 4.3. */
  readonly modern: boolean;
  /** The number of apps that one address may register; servers allow five in ten minutes. */
  readonly appsMax: number;
}

const secret = () => randomBytes(32).toString('base64url');
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Apps, consent, codes and tokens of one instance, unknown to other instances. */
export function instanceOauth({ origin, modern, appsMax }: InstanceOauthOptions) {
  const apps: MastodonApp[] = [];
  const codes = new Map<string, AuthorizationCode>();
  const tokens = new Map<string, MastodonBearer & { readonly clientId: string }>();
  const revoked: string[] = [];

  function register(fields: Readonly<Record<string, unknown>>): WireResponse {
    if (apps.length >= appsMax) return refusal(429, 'Too many requests');
    const requested = fields['redirect_uris'];
    // Before 4.3 a list is not a valid parameter.
    const [redirectUri = ''] =
      Array.isArray(requested) && modern ? (requested as string[]) : [textOf(requested)];
    if (redirectUri === '' || textOf(fields['client_name']) === '') {
      return refusal(422, "Validation failed: Redirect URI can't be blank");
    }
    const scopes = (textOf(fields['scopes']) || 'read').split(' ');
    const app = {
      id: String(apps.length + 1),
      name: textOf(fields['client_name']),
      clientId: secret(),
      clientSecret: secret(),
      redirectUri,
      scopes,
    };
    apps.push(app);
    return okResponse({
      id: app.id,
      name: app.name,
      website: textOf(fields['website']) || null,
      scopes,
      redirect_uri: redirectUri,
      redirect_uris: [redirectUri],
      vapid_key: 'BCk-QqERU0q-CfYZjcuB6lnyyOYfJ2AifKqfeGIm7Z',
      client_id: app.clientId,
      client_secret: app.clientSecret,
      client_secret_expires_at: 0,
    });
  }

  const appOf = (fields: Readonly<Record<string, unknown>>) => {
    const app = apps.find(({ clientId }) => clientId === fields['client_id']);
    return app?.clientSecret === fields['client_secret'] ? app : undefined;
  };

  /** The consent page of a logged-in user; it offers the account choice to avoid a login. */
  function consent(query: URLSearchParams): WireResponse {
    const app = apps.find(({ clientId }) => clientId === query.get('client_id'));
    if (!app || app.redirectUri !== query.get('redirect_uri'))
      return { status: 400, html: '<p>Unknown app</p>' };
    const hidden = [...query].map(
      ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
    );
    const html = `<h1>${escaped(app.name)}</h1><form method="post">${hidden.join('')}</form>`;
    return { status: 200, html };
  }

  function decide(fields: Readonly<Record<string, unknown>>): WireResponse {
    const app = apps.find(({ clientId }) => clientId === fields['client_id']);
    if (!app || app.redirectUri !== fields['redirect_uri'])
      return { status: 400, html: '<p>Unknown app</p>' };
    const back = new URL(app.redirectUri);
    back.searchParams.set('state', textOf(fields['state']));
    if (fields['decision'] !== 'approve') {
      back.searchParams.set('error', 'access_denied');
      return { status: 302, headers: { location: back.href } };
    }
    const [code, challenge] = [secret(), modern ? textOf(fields['code_challenge']) : ''];
    codes.set(code, { app, accountId: textOf(fields['account']), challenge: challenge || null });
    back.searchParams.set('code', code);
    return { status: 302, headers: { location: back.href } };
  }

  function exchange(fields: Readonly<Record<string, unknown>>): WireResponse {
    const app = appOf(fields);
    const code = codes.get(textOf(fields['code']));
    codes.delete(textOf(fields['code']));
    if (!app) return { status: 401, json: { error: 'invalid_client', error_description: 'unknown client' } };
    const verifier = createHash('sha256').update(textOf(fields['code_verifier'])).digest('base64url');
    const proven = code?.challenge === null || code?.challenge === verifier;
    if (code?.app !== app || !proven || fields['redirect_uri'] !== app.redirectUri) {
      return { status: 400, json: { error: 'invalid_grant', error_description: 'the grant is invalid' } };
    }
    const { accountId } = code;
    // The same account and app have one token, however often it is requested (`reuse_access_token`).
    const before = [...tokens].find(
      ([, held]) => held.accountId === accountId && held.clientId === app.clientId,
    );
    const token = before?.[0] ?? secret();
    const bearer = { accountId, scopes: app.scopes, application: app.name };
    tokens.set(token, { ...bearer, clientId: app.clientId });
    return okResponse({
      access_token: token,
      token_type: 'Bearer',
      scope: app.scopes.join(' '),
      created_at: 1_763_000_000,
    });
  }

  function revoke(fields: Readonly<Record<string, unknown>>): WireResponse {
    const token = textOf(fields['token']);
    const known = tokens.get(token);
    if (!appOf(fields) || (known && known.clientId !== fields['client_id'])) {
      return { status: 403, json: { error: 'unauthorized_client' } };
    }
    if (tokens.delete(token)) revoked.push(token);
    return okResponse({});
  }

  const metadata = (): WireResponse =>
    okResponse({
      issuer: `${origin()}/`,
      service_documentation: 'https://docs.joinmastodon.org/',
      authorization_endpoint: `${origin()}/oauth/authorize`,
      token_endpoint: `${origin()}/oauth/token`,
      app_registration_endpoint: `${origin()}/api/v1/apps`,
      revocation_endpoint: `${origin()}/oauth/revoke`,
      userinfo_endpoint: `${origin()}/oauth/userinfo`,
      scopes_supported: [
        ...['read', 'read:accounts', 'read:statuses'],
        ...['write', 'write:media', 'write:statuses', 'profile'],
      ],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      grant_types_supported: ['authorization_code', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
    });

  return {
    apps: (): readonly MastodonApp[] => apps,
    /** Revoked tokens. */
    revoked: (): readonly string[] => revoked,
    bearerOf: (token: string): MastodonBearer | null => tokens.get(token) ?? null,
    /** The account owner revokes the grant at the instance. */
    forget: () => tokens.clear(),
    serve({ method, path, query, body }: WireRequest): WireResponse | null {
      switch (`${method} ${path}`) {
        case 'GET /.well-known/oauth-authorization-server':
          return modern ? metadata() : null;
        case 'POST /api/v1/apps':
          return register(fieldsOf(body));
        case 'GET /oauth/authorize':
          return consent(query);
        case 'POST /oauth/authorize':
          return decide(fieldsOf(body));
        case 'POST /oauth/token':
          return exchange(fieldsOf(body));
        case 'POST /oauth/revoke':
          return revoke(fieldsOf(body));
        default:
          return null;
      }
    },
  };
}
