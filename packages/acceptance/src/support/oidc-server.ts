import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { startSandbox, type Bearer, type Sandbox } from '@switchboard/sandbox';
import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import { freePort } from '@switchboard/persistence/testing';
import { oidcConsent } from './oidc-consent.js';
import { memoryOidcAdapter } from './memory-oidc-adapter.js';
import type { Env } from './installation.js';

/** One call of the token endpoint, successful or not. */
export interface TokenCall {
  readonly atMs: number;
  grantType: string | null;
  clientId: string | null;
  /** The error of RFC 6749, when the server rejected the call. */
  error: string | null;
  /** The response that the caller received; null while it waits, and when the connection was cut. */
  status: number | null;
}

export interface TokenFault {
  /**
   * `before`: the server never receives the call. `after`: it processes the call, and its response is lost.
   */
  readonly when: 'before' | 'after';
  /** Replaces the caller's response: respond, or destroy the socket. */
  readonly respond: (response: ServerResponse) => void;
  /** The server's own response still follows; this runs immediately before it is sent. */
  readonly sendsOwnResponse?: boolean;
}

export interface OidcClient {
  readonly id: string;
  readonly secret: string;
}

/**
 * oidc-provider as the authorization server of Sandbox Social: PKCE, rotating refresh tokens whose reuse
 * revokes the family, RFC 7009, `iss`.
 */
export interface OidcServer {
  readonly issuer: string;
  /** The platform's API. It accepts only this server's tokens. */
  readonly sandbox: Sandbox;
  readonly clients: readonly OidcClient[];
  /** The environment with which a Switchboard uses it. */
  readonly env: Env;
  /** Oldest first. */
  tokenCalls(grantType?: 'authorization_code' | 'refresh_token'): readonly TokenCall[];
  /** The number of token revocations. */
  countRevocations(): number;
  /** Holds back every further token call before it is processed. */
  delayTokens(ms: number): void;
  /** The lifetime of access tokens issued from now on. */
  setAccessTokenSeconds(seconds: number): void;
  /** Applies to the next token call only; several are queued. */
  injectTokenFault(fault: TokenFault): void;
  /** The account owner revokes the grant: the next refresh returns `invalid_grant`. */
  revokeGrants(account: string): Promise<void>;
  close(): Promise<void>;
}

const PERMISSIONS = ['profile', 'posts:write', 'posts:read', 'insights:read'];
const TOKEN_PATH = '/social/oauth/token';
const REVOKE_PATH = '/social/oauth/revoke';

export async function startOidcServer({
  accessTokenSeconds = 3600,
  clients = [{ id: 'switchboard', secret: 'switchboard-secret-of-thirty-two-chars' }],
}: { accessTokenSeconds?: number; clients?: readonly OidcClient[] } = {}): Promise<OidcServer> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const issuer = `${origin}/social`;
  const state = { accessTokenSeconds, delayMs: 0, revocations: 0 };
  const calls: TokenCall[] = [];
  const callOf = new WeakMap<IncomingMessage, TokenCall>();
  const faults: TokenFault[] = [];

  const provider = new Provider(issuer, {
    adapter: memoryOidcAdapter(),
    jwks: {
      keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })],
    },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    clients: clients.map(({ id, secret }) => ({
      client_id: id,
      client_secret: secret,
      // A native app's loopback redirect URI matches any port, so the service may start on any (RFC 8252
      // 7.3).
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/oauth/callback/sandbox_social'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
    })),
    scopes: PERMISSIONS,
    claims: { profile: [] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    ttl: {
      AccessToken: () => state.accessTokenSeconds,
      AuthorizationCode: 60,
      RefreshToken: 86_400,
      Grant: 86_400,
      Interaction: 600,
      Session: 600,
    },
    features: {
      devInteractions: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
    },
    routes: { authorization: '/social/oauth/authorize', token: TOKEN_PATH, revocation: REVOKE_PATH },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  });
  const recordGrant = (ctx: KoaContextWithOIDC, error: string | null) => {
    const call = callOf.get(ctx.req);
    if (!call) return;
    const grantType = ctx.oidc?.params?.['grant_type'];
    if (typeof grantType === 'string') call.grantType = grantType;
    call.clientId = ctx.oidc?.client?.clientId ?? null;
    call.error = error;
  };
  provider.on('grant.success', (ctx) => recordGrant(ctx, null));
  provider.on('grant.error', (ctx, error) => recordGrant(ctx, error.error));

  const consent = oidcConsent(provider);
  const handleRequest = provider.callback();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin);
    if (pathname.startsWith('/interaction/')) return void consent.answer(request, response);
    if (pathname === REVOKE_PATH) state.revocations += 1;
    if (pathname !== TOKEN_PATH) return void handleRequest(request, response);
    const call: TokenCall = { atMs: Date.now(), grantType: null, clientId: null, error: null, status: null };
    calls.push(call);
    callOf.set(request, call);
    response.once('finish', () => (call.status = response.statusCode));
    const fault = faults.shift();
    setTimeout(() => {
      if (fault?.when === 'before') return fault.respond(response);
      if (fault) dropResponse(response, fault);
      void handleRequest(request, response);
    }, state.delayMs);
  });

  const findBearer = async (token: string): Promise<Bearer> => {
    const found = await provider.AccessToken.find(token);
    if (!found) return { state: 'invalid' };
    if (!found.isValid) return { state: 'expired' };
    return { state: 'valid', account: found.accountId, scopes: (found.scope ?? '').split(' ') };
  };
  const sandbox = await startSandbox({ socialBearer: findBearer });
  await new Promise<void>((listening, failed) =>
    server.once('error', failed).listen(port, '127.0.0.1', listening),
  );
  const [client] = clients;
  return {
    issuer,
    sandbox,
    clients,
    env: {
      SWITCHBOARD_SANDBOX_SOCIAL_BASE_URL: sandbox.url,
      SWITCHBOARD_SANDBOX_SOCIAL_AUTH_BASE_URL: origin,
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${port},${new URL(sandbox.url).host}`,
      ...(client && {
        SWITCHBOARD_SANDBOX_SOCIAL_CLIENT_ID: client.id,
        SWITCHBOARD_SANDBOX_SOCIAL_CLIENT_SECRET: client.secret,
      }),
    },
    tokenCalls: (grantType) =>
      calls.filter((call) => grantType === undefined || call.grantType === grantType),
    countRevocations: () => state.revocations,
    delayTokens: (ms) => void (state.delayMs = ms),
    setAccessTokenSeconds: (seconds) => void (state.accessTokenSeconds = seconds),
    injectTokenFault: (fault) => void faults.push(fault),
    revokeGrants: (account) => consent.revokeGrants(account),
    async close() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
      await sandbox.close();
    },
  };
}

/** Discards the server's response. */
function dropResponse(response: ServerResponse, fault: TokenFault): void {
  const end = response.end.bind(response);
  response.end = (...given: unknown[]) => {
    response.end = end;
    if (fault.sendsOwnResponse) {
      fault.respond(response);
      return (end as (...all: unknown[]) => ServerResponse)(...given);
    }
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    fault.respond(response);
    return response;
  };
}
