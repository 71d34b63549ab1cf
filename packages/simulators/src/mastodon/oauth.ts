import { randomBytes } from 'node:crypto';
import {
  okResponse,
  fieldsOf,
  refusal,
  textOf,
  textsOf,
  type WireResponse,
  type WireRequest,
} from '../wire/exchange.js';
import { oauthServer, type OAuthApp, type OAuthServer } from '../wire/oauth-server.js';

export interface MastodonApp extends OAuthApp {
  readonly name: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}

interface InstanceOauthOptions {
  readonly now: () => Date;
  readonly origin: () => string;
  /** Whether it serves metadata and supports PKCE: servers since 4.3. */
  readonly modern: boolean;
  /** The number of apps that one address may register; servers allow five in ten minutes. */
  readonly appsMax: number;
}

const secret = () => randomBytes(32).toString('base64url');

/** Apps, consent, codes and tokens of one instance, unknown to other instances. */
export function instanceOauth({ now, origin, modern, appsMax }: InstanceOauthOptions) {
  const apps: MastodonApp[] = [];
  const revoked: string[] = [];
  const server = oauthServer<MastodonApp>({
    apps,
    now,
    // The consent page offers the choice of the account, to avoid a login.
    account: '',
    paths: { authorize: '/oauth/authorize', token: '/oauth/token' },
    knows: () => true,
    ...(!modern && { pkce: 'ignored' as const }),
    accessSeconds: Infinity,
    refresh: null,
    // The same account and app have one token, however often it is requested (`reuse_access_token`).
    onlyToken: 'reuse',
    grantedScopes: (_scopes, app) => app.scopes,
    present: ({ access_token, scope }) => ({
      access_token,
      token_type: 'Bearer',
      scope,
      created_at: 1_763_000_000,
    }),
  });

  const routes: Readonly<Record<string, (request: WireRequest) => WireResponse>> = {
    'POST /api/v1/apps': (request) =>
      apps.length >= appsMax ? refusal(429, 'Too many requests') : registerApp(apps, request, modern),
    'POST /oauth/revoke': (request) => revokeGrant(server, revoked, request),
    ...(modern && {
      'GET /.well-known/oauth-authorization-server': () => okResponse(metadataOf(origin())),
    }),
  };

  return {
    ...server,
    apps: (): readonly MastodonApp[] => apps,
    /** Revoked tokens. */
    revoked: (): readonly string[] => revoked,
    /** The name of the app that a grant was made to. */
    nameOf: (id: string): string => apps.find(({ clientId }) => clientId === id)?.name ?? '',
    /** The account owner revokes the grant at the instance. */
    forget: () => server.end(() => true),
    serve: (request: WireRequest): WireResponse | null =>
      routes[`${request.method} ${request.path}`]?.(request) ?? server.serve(request),
  };
}

function registerApp(apps: MastodonApp[], { body }: WireRequest, modern: boolean): WireResponse {
  const fields = fieldsOf(body);
  const requested = fields['redirect_uris'];
  // Before 4.3 a list is not a valid parameter.
  const [redirectUri = ''] = modern && Array.isArray(requested) ? textsOf(requested) : [textOf(requested)];
  const name = textOf(fields['client_name']);
  if (redirectUri === '' || name === '')
    return refusal(422, "Validation failed: Redirect URI can't be blank");
  const scopes = (textOf(fields['scopes']) || 'read').split(' ');
  const identity = { name, scopes, redirectUri, redirectUris: [redirectUri] };
  const app = { ...identity, clientId: secret(), clientSecret: secret() };
  apps.push(app);
  return okResponse({
    id: String(apps.length),
    name,
    website: textOf(fields['website']) || null,
    scopes,
    redirect_uri: redirectUri,
    redirect_uris: [redirectUri],
    vapid_key: '',
    client_id: app.clientId,
    client_secret: app.clientSecret,
  });
}

function revokeGrant(
  server: Pick<OAuthServer, 'appOf' | 'grantOf' | 'end'>,
  revoked: string[],
  { body }: WireRequest,
): WireResponse {
  const fields = fieldsOf(body);
  const token = textOf(fields['token']);
  const app = server.appOf(fields['client_id'], fields['client_secret']);
  const grant = server.grantOf(token);
  if (!app || (grant && grant.clientId !== app.clientId)) {
    return { status: 403, json: { error: 'unauthorized_client' } };
  }
  if (grant) {
    revoked.push(token);
    server.end(({ account, clientId }) => account === grant.account && clientId === grant.clientId);
  }
  return okResponse({});
}

const metadataOf = (origin: string) => ({
  issuer: `${origin}/`,
  service_documentation: 'https://docs.joinmastodon.org/',
  userinfo_endpoint: `${origin}/oauth/userinfo`,
  authorization_endpoint: `${origin}/oauth/authorize`,
  token_endpoint: `${origin}/oauth/token`,
  app_registration_endpoint: `${origin}/api/v1/apps`,
  revocation_endpoint: `${origin}/oauth/revoke`,
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
