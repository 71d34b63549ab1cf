import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseId, type ClientId, type InvitationId, type Secret } from '@switchboard/domain';
import { createToken, isScope } from '@switchboard/domain/access';
import { findActiveClient, grantableScopes } from '@switchboard/domain/clients';
import Provider, {
  errors,
  interactionPolicy,
  type Configuration,
  type Interaction,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { readAuthorizationRequest } from './authorization-request.js';
import { adaptClientMetadata, describeClient } from './client-metadata.js';
import { pruneServerMetadata } from './server-metadata.js';
import { currentRequestId } from './current-request-id.js';
import { recordAdapters, type RecordPorts } from './record-adapter.js';
import type { SignIn } from './sign-in.js';

export type OAuthEndpoint = 'authorize' | 'token' | 'register' | 'revoke';

/** As in RFC 6749, section 5.2, with what the response omits. */
interface Refusal {
  readonly endpoint: OAuthEndpoint;
  readonly error: string;
  readonly description: string | undefined;
  readonly detail: string | undefined;
  /** The message of the error that led to this one, such as a failed request for a document. */
  readonly cause: string | undefined;
}

export interface AuthorizationServerOptions {
  readonly ports: RecordPorts;
  /** The issuer, without a trailing slash. */
  readonly publicUrl: string;
  /** Whether clients may register themselves (RFC 7591). */
  readonly registration: boolean;
  /** The hosts to which a browser may be redirected, besides loopback. */
  readonly redirectHosts: readonly string[];
  /** Fetches the metadata documents of clients, and their keys. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Whether the metadata document of an unknown client may be fetched for this address. */
  readonly mayFetch: (address: string | undefined) => Promise<boolean>;
  /** Signs cookies. */
  readonly cookieKey: Secret;
  /** A private JWK that the library requires; no token is signed. */
  readonly signingKey: Secret;
  readonly consentPath: (signInId: string) => string;
  /** Sends the page of a request that cannot be redirected to its client. */
  readonly sendErrorPage: (request: IncomingMessage, response: ServerResponse, status: number) => void;
  readonly onRequest: (endpoint: OAuthEndpoint, outcome: string) => void;
  /** Why a request was refused, for the operator: the client or the person learns less. */
  readonly onRefusal: (refusal: Refusal, requestId: string) => void;
  readonly onError: (error: unknown, requestId: string) => void;
}

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

export const routes = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
} as const;

const endpoints: Readonly<Record<string, OAuthEndpoint | undefined>> = {
  authorization: 'authorize',
  resume: 'authorize',
  token: 'token',
  registration: 'register',
  revocation: 'revoke',
};

export function openAuthorizationServer(options: AuthorizationServerOptions) {
  const { ports, publicUrl } = options;
  const { tokens } = ports;
  const provider = new Provider(publicUrl, configure(options));
  provider.proxy = true;
  nameTokens(provider, tokens);
  provider.Client.prototype.compareClientSecret = function compareDigest(presented) {
    return tokens.digestHex(presented) === this.clientSecret;
  };
  provider.use(async (context, next) => {
    if (context.path === routes.authorization) context.query = readAuthorizationRequest(context.query);
    await next();
    if (context.path === METADATA_PATH && context.status === 200)
      pruneServerMetadata(context.body as Record<string, unknown>);
    dropSessionCookie(context.res);
  });
  observe(provider, options);

  const { host, protocol } = new URL(publicUrl);
  /** The library builds URLs from the request; whatever a proxy or client sends, they are the public ones. */
  const withPublicUrl = (request: IncomingMessage) => {
    request.headers['x-forwarded-host'] = host;
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    return request;
  };
  const handle = provider.callback();
  const findInteraction = (request: IncomingMessage, response: ServerResponse) =>
    provider.interactionDetails(withPublicUrl(request), response).catch((error: unknown) => {
      if (error instanceof errors.SessionNotFound) return null;
      throw error;
    });
  /** Kept beside the request until the visitor decides. */
  const store = async (signInId: string, change: (progress: SignInProgress) => SignInProgress) => {
    const interaction = await provider.Interaction.find(signInId);
    if (!interaction) return;
    interaction.lastSubmission = { ...change(progressOf(interaction)) };
    await interaction.persist();
  };

  return {
    /** Serves a request to one of its endpoints, or for its metadata document. */
    handle: (request: IncomingMessage, response: ServerResponse) => handle(withPublicUrl(request), response),
    /** The pending sign-in of this browser at this path; null when it has ended, or began in another browser. */
    async findSignIn(request: IncomingMessage, response: ServerResponse): Promise<SignIn | null> {
      const interaction = await findInteraction(request, response);
      // With a result it was decided, and only its redirect is missing.
      if (!interaction || interaction.result) return null;
      const { redirect_uri: redirectUri, scope, ui_locales: locales } = interaction.params;
      return {
        id: interaction.uid,
        scopes: String(scope).split(' ').filter(isScope),
        locales: typeof locales === 'string' ? locales : null,
        returnOrigin: new URL(String(redirectUri)).origin,
        ...progressOf(interaction),
      };
    },
    storeInvitation: (signInId: string, invitationId: InvitationId) =>
      store(signInId, (progress) => ({ ...progress, invitationId })),
    /** Counts a wrong code. */
    recordFailure: (signInId: string) =>
      store(signInId, (progress) => ({
        ...progress,
        invitationId: null,
        failures: progress.failures + 1,
      })),
    /** Ends the sign-in; returns the address to which to redirect the browser. Null: the client is refused. */
    finish: (request: IncomingMessage, response: ServerResponse, clientId: ClientId | null) =>
      provider.interactionResult(
        withPublicUrl(request),
        response,
        clientId === null
          ? { error: 'access_denied', error_description: 'the person did not allow the access' }
          : { login: { accountId: clientId, remember: false }, consent: { grantId: clientId } },
        { mergeWithLastSubmission: false },
      ),
  };
}

/** The OAuth authorization server of MCP clients. Requests are those of Node.js, whose bodies are unread. */
export type AuthorizationServer = ReturnType<typeof openAuthorizationServer>;

/** Recognizable, so that secret scanners find them and a mistyped one costs no lookup. */
function nameTokens(provider: Provider, tokens: RecordPorts['tokens']): void {
  Object.assign(provider.AccessToken.prototype, {
    generateTokenId(this: { format?: string }) {
      this.format = 'opaque';
      return createToken('access_token', tokens);
    },
  });
  Object.assign(provider.RefreshToken.prototype, {
    generateTokenId: () => createToken('refresh_token', tokens),
  });
}

type SignInProgress = Pick<SignIn, 'client' | 'invitationId' | 'failures'>;

/** What `beginSignIn` and the pages have stored. */
const progressOf = ({ lastSubmission }: Interaction): SignInProgress =>
  lastSubmission as unknown as SignInProgress;

/**
 * The page of a new sign-in. It shows the client as it was when the request was checked: a metadata document
 * may change, or be unavailable, while the visitor decides.
 */
async function beginSignIn(
  { oidc: { client } }: KoaContextWithOIDC,
  interaction: Interaction,
  consentPath: AuthorizationServerOptions['consentPath'],
): Promise<string> {
  if (!client) throw new Error('a request that begins a sign-in has a client');
  const progress: SignInProgress = {
    client: describeClient(client, String(interaction.params['redirect_uri'])),
    invitationId: null,
    failures: 0,
  };
  interaction.lastSubmission = { ...progress };
  await interaction.persist();
  return consentPath(interaction.uid);
}

const METADATA_PATH = '/.well-known/oauth-authorization-server';
const SESSION_COOKIE = 'swb_oauth_session';

/** There are no sessions: the cookie would have no use. */
function dropSessionCookie(response: ServerResponse): void {
  if (response.headersSent) return;
  const cookies = [response.getHeader('set-cookie') ?? []].flat().map(String);
  const kept = cookies.filter((cookie) => !cookie.startsWith(SESSION_COOKIE));
  if (kept.length === cookies.length) return;
  if (kept.length === 0) response.removeHeader('set-cookie');
  else response.setHeader('set-cookie', kept);
}

function observe(provider: Provider, { onRequest, onRefusal, onError }: AuthorizationServerOptions): void {
  const report = (context: KoaContextWithOIDC, outcome: string) => {
    const endpoint = endpoints[context.oidc.route];
    if (endpoint) onRequest(endpoint, outcome);
  };
  const succeed = (context: KoaContextWithOIDC) => report(context, 'ok');
  const fail = (context: KoaContextWithOIDC, failure: Error) => {
    const endpoint = endpoints[context.oidc.route];
    if (!endpoint || !(failure instanceof errors.OIDCProviderError)) return report(context, 'server_error');
    const { error, error_description: description, error_detail: detail, cause } = failure;
    onRequest(endpoint, error);
    onRefusal(
      { endpoint, error, description, detail, cause: cause instanceof Error ? cause.message : undefined },
      currentRequestId(),
    );
  };
  provider.on('authorization.success', succeed);
  provider.on('authorization.error', fail);
  provider.on('grant.success', succeed);
  provider.on('grant.error', fail);
  provider.on('registration_create.success', succeed);
  provider.on('registration_create.error', fail);
  provider.on('revocation.error', fail);
  provider.on('server_error', (context, error) => {
    report(context, 'server_error');
    onError(error, currentRequestId());
  });
  provider.onerror = (error) => onError(error, currentRequestId());
}

function configure({
  ports,
  registration,
  redirectHosts,
  fetch,
  mayFetch,
  cookieKey,
  signingKey,
  consentPath,
  sendErrorPage,
}: AuthorizationServerOptions): Configuration {
  const { mcpUrl } = ports.settings;
  const shortCookie = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  return {
    adapter: recordAdapters(ports),
    routes: { ...routes, jwks: '/oauth/jwks' },
    jwks: { keys: [JSON.parse(signingKey.reveal()) as Record<string, string>] },
    cookies: {
      keys: [cookieKey.reveal()],
      names: { interaction: 'swb_oauth_consent', resume: 'swb_oauth_resume', session: SESSION_COOKIE },
      short: shortCookie,
      long: shortCookie,
    },
    // OAuth only: no user signs in, so that there is nothing to say about one.
    scopes: [],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    enabledJWA: {
      clientAuthSigningAlgValues: ['ES256', 'EdDSA', 'PS256', 'RS256'],
      idTokenSigningAlgValues: ['ES256'],
    },
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
    },
    extraClientMetadata: {
      // Called for every client that is loaded, whether or not it has the property: a change of the allowed
      // hosts applies to clients that registered before.
      properties: [ADAPTED],
      validator: (_context, _name, _value, metadata) => adaptClientMetadata(metadata, redirectHosts),
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    revokeGrantPolicy: () => true,
    expiresWithSession: async () => false,
    ttl: {
      AuthorizationCode: MINUTE_SECONDS,
      AccessToken: HOUR_SECONDS,
      RefreshToken: 90 * DAY_SECONDS,
      Interaction: HOUR_SECONDS,
      Session: HOUR_SECONDS,
      Grant: 90 * DAY_SECONDS,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
      },
      registration: { enabled: registration, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: (context) => mayFetch((context.req as { ip?: string }).ip),
        cacheDuration: { min: MINUTE_SECONDS, max: DAY_SECONDS },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => mcpUrl,
        useGrantedResource: () => true,
        getResourceServerInfo(_context, resource) {
          if (resource !== mcpUrl) throw new errors.InvalidTarget();
          return {
            scope: grantableScopes.join(' '),
            audience: mcpUrl,
            accessTokenFormat: 'opaque',
            accessTokenTTL: HOUR_SECONDS,
          };
        },
      },
    },
    fetch,
    interactions: {
      policy: promptOnce(),
      url: (context, interaction) => beginSignIn(context, interaction, consentPath),
    },
    async findAccount(_context, id) {
      const clientId = parseId('cli', id);
      const client = clientId && (await findActiveClient(ports, clientId));
      return client ? { accountId: client.id, claims: () => ({ sub: client.id }) } : undefined;
    },
    renderError(context, out) {
      if (endpoints[context.oidc.route] !== 'authorize') {
        context.body = out;
        return;
      }
      const { status } = context;
      context.respond = false;
      dropSessionCookie(context.res);
      sendErrorPage(context.req, context.res, status);
    },
  };
}

const ADAPTED = 'adapted';

/** The person decides once, and may grant less than the client requests. */
function promptOnce() {
  const policy = interactionPolicy.base();
  const consent = policy.get('consent');
  for (const reason of ['op_scopes_missing', 'op_claims_missing', 'rs_scopes_missing'])
    consent?.checks.remove(reason);
  return policy;
}
