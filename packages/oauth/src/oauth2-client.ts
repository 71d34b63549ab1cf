import type http from 'node:http';
import type https from 'node:https';
import { createRequire } from 'node:module';
import type { Secret } from '@switchboard/domain';
import type {
  ClientCredentialsFacts,
  ConnectMethod,
  Manifest,
  OAuth2Facts,
  OutboundOutcome,
  TokenErrors,
  TokenExchange,
} from '@switchboard/domain/ports';
import type { AuthorizationCode, ClientCredentials } from 'simple-oauth2';
import { readErrorCode } from './read-error-code.js';

/** The operator's OAuth app at a platform. */
export interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

/** Node.js agents that refuse private addresses. */
export interface HttpAgents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

const TOKEN_BYTES_MAX = 64 * 1024;
/** Applies once until the headers and once more until the body: together less than a renewal's lease. */
const TIMEOUT_MS = 10_000;

/** Applies `DEBUG` to everything except this library, which would print tokens and the app's secret. */
export function silenceOAuthDebug(): void {
  const library = createRequire(createRequire(import.meta.url).resolve('simple-oauth2'));
  const debug = library('debug') as { enable(namespaces: string): void; disable(): string };
  debug.enable(`${debug.disable()},-simple-oauth2:*`);
}

let isSilenced = false;

/**
 * Loaded when it is first used: it and its validator take a tenth of the start of a program. The bundle of a program
 * has only the default export of a CommonJS module behind `import()`.
 */
async function importLibrary() {
  if (!isSilenced) silenceOAuthDebug();
  isSilenced = true;
  return (await import('simple-oauth2')).default;
}

export async function createOAuth2Client(
  facts: OAuth2Facts,
  authBaseUrl: string,
  app: OAuthApp,
  agents: HttpAgents,
  consentBaseUrl = authBaseUrl,
  userAgent?: string,
): Promise<AuthorizationCode> {
  const { AuthorizationCode } = await importLibrary();
  const { base, below: resolvePath } = parseAuthBaseUrl(authBaseUrl);
  const consent = parseAuthBaseUrl(consentBaseUrl);
  return new AuthorizationCode({
    client: {
      id: app.clientId,
      secret: app.clientSecret.reveal(),
      idParamName: facts.clientIdName ?? 'client_id',
    },
    auth: {
      tokenHost: base.origin,
      tokenPath: resolvePath(facts.tokenPath),
      authorizeHost: consent.base.origin,
      authorizePath: consent.below(facts.authorizePath),
      revokePath: resolvePath(facts.revokePath ?? facts.tokenPath),
    },
    http: { ...createHttpOptions(base, agents), ...(userAgent && { headers: { 'user-agent': userAgent } }) },
    options: {
      authorizationMethod: facts.clientAuth,
      bodyFormat: facts.tokenBody ?? 'form',
      scopeSeparator: facts.permissionSeparator ?? ' ',
    },
  });
}

/**
 * The account owner's app with its own credentials. Its ID and secret must be visible ASCII: the library
 * quotes other values in its error.
 */
export async function createClientCredentialsClient(
  facts: ClientCredentialsFacts,
  authBaseUrl: string,
  app: OAuthApp,
  agents: HttpAgents,
): Promise<ClientCredentials> {
  const { ClientCredentials } = await importLibrary();
  const { base, below } = parseAuthBaseUrl(authBaseUrl);
  return new ClientCredentials({
    client: { id: app.clientId, secret: app.clientSecret.reveal() },
    auth: { tokenHost: base.origin, tokenPath: below(facts.tokenPath) },
    http: createHttpOptions(base, agents),
    options: { authorizationMethod: facts.clientAuth },
  });
}

function parseAuthBaseUrl(authBaseUrl: string) {
  const base = new URL(authBaseUrl);
  return { base, below: (path: string) => base.pathname.replace(/\/$/, '') + path };
}

const createHttpOptions = ({ protocol }: URL, agents: HttpAgents) =>
  ({
    agent: protocol === 'https:' ? agents.https : agents.http,
    timeout: TIMEOUT_MS,
    maxBytes: TOKEN_BYTES_MAX,
    redirects: false,
  }) as const;

export function getOAuth2Facts(manifest: Manifest, connectMethod: ConnectMethod): OAuth2Facts {
  if (!connectMethod.oauth2)
    throw new Error(`${manifest.id}'s connect method ${connectMethod.id} has no OAuth 2.0 settings`);
  const { authorizePath, tokenPath, revokePath, longLived, renewal, keyInResponse } = connectMethod.oauth2;
  const withApiVersion = (path: string) => path.replaceAll('{api_version}', manifest.apiVersion ?? '');
  const withVersionedPath = (one: TokenExchange | undefined) =>
    one && { ...one, path: withApiVersion(one.path) };
  return {
    ...connectMethod.oauth2,
    authorizePath: withApiVersion(authorizePath),
    tokenPath: withApiVersion(tokenPath),
    revokePath: revokePath === null ? null : withApiVersion(revokePath),
    longLived: withVersionedPath(longLived),
    renewal: withVersionedPath(renewal),
    keyInResponse: keyInResponse && {
      ...keyInResponse,
      deletePath: withApiVersion(keyInResponse.deletePath),
    },
  };
}

/**
 * The failure of a token endpoint call. Only these fields of the library's error may leave: the rest contains
 * secrets.
 */
export type TokenError =
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly error: string | null;
      /** The unparsed header. */
      readonly retryAfter: string | null;
    }
  | { readonly kind: 'address_refused' }
  | { readonly kind: 'not_sent'; readonly retryAfterSeconds: number }
  | { readonly kind: 'no_answer' };

/** The circuit breaker for calls that a library makes with its own client. */
export interface CallGuard {
  guardCall<Value>(
    call: { readonly platform: string; readonly origin: string },
    act: () => Promise<{ readonly value: Value; readonly outcome: OutboundOutcome }>,
  ): Promise<
    | { readonly kind: 'acted'; readonly value: Value }
    | { readonly kind: 'not_sent'; readonly retryAfterSeconds: number }
  >;
}

type TokenEndpointResult<Answer> = { readonly kind: 'answered'; readonly answer: Answer } | TokenError;
export type TokenEndpointCaller = <Answer>(
  call: () => Promise<Answer>,
) => Promise<TokenEndpointResult<Answer>>;

/** Calls a token endpoint, unless its circuit is open. */
export const createTokenEndpointCaller =
  (guard: CallGuard, platform: string, authBaseUrl: string): TokenEndpointCaller =>
  async <Answer>(call: () => Promise<Answer>): Promise<TokenEndpointResult<Answer>> => {
    const { origin } = new URL(authBaseUrl);
    const guarded = await guard.guardCall<TokenEndpointResult<Answer>>({ platform, origin }, () =>
      call().then(
        (answer) => ({ value: { kind: 'answered', answer }, outcome: respondedOutcome(200) }),
        (error: unknown) => {
          const value = readTokenError(error);
          return { value, outcome: toOutboundOutcome(value) };
        },
      ),
    );
    return guarded.kind === 'acted' ? guarded.value : guarded;
  };

const respondedOutcome = (status: number): OutboundOutcome => ({
  kind: 'answered',
  status,
  headers: {},
  body: new Uint8Array(),
});

function toOutboundOutcome(error: TokenError): OutboundOutcome {
  if (error.kind === 'refused') return respondedOutcome(error.status);
  return error.kind === 'address_refused'
    ? { kind: 'not_sent', reason: 'address_refused' }
    : { kind: 'unknown', reason: 'reset' };
}

export function readTokenError(error: unknown): TokenError {
  const data = (error as { data?: unknown } | null)?.data;
  if (typeof data !== 'object' || data === null) return { kind: 'no_answer' };
  const { isResponseError, payload, res, code } = data as Record<string, unknown>;
  if (code === 'ADDRESS_REFUSED') return { kind: 'address_refused' };
  const status = (res as { statusCode?: unknown } | undefined)?.statusCode;
  // A truncated, oversized or non-JSON response has a status but no meaning.
  if (typeof status !== 'number') return { kind: 'no_answer' };
  const errorCode = isResponseError === true ? readErrorCode(payload) : null;
  const retryAfter = (res as { headers?: Record<string, unknown> }).headers?.['retry-after'];
  return {
    kind: 'refused',
    status,
    error: errorCode,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
  };
}

/** Classifies a rejection: the grant ended, the platform rejects the app, or unknown. */
export function classifyTokenError(error: TokenError, errors?: TokenErrors): 'ended' | 'app' | null {
  if (error.kind !== 'refused' || error.error === null || error.status >= 500) return null;
  if (error.error === 'invalid_grant' || errors?.ended.includes(error.error)) return 'ended';
  const app = error.error === 'invalid_client' || error.error === 'unauthorized_client';
  return app || errors?.app.includes(error.error) ? 'app' : null;
}
