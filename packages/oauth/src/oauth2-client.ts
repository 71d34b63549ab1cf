import type http from 'node:http';
import type https from 'node:https';
import { createRequire } from 'node:module';
import type {
  ClientCredentialsFacts,
  ConnectWay,
  Manifest,
  OAuth2Facts,
  OutboundOutcome,
  Secret,
  TokenErrors,
  TokenForToken,
} from '@switchboard/domain';
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2';
import { wordIn } from './token-error-word.js';

/** The operator's OAuth app at a platform. */
export interface App {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

/** Node.js agents that reach no address that may not be reached. */
export interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

const TOKEN_BYTES_MAX = 64 * 1024;
/** Counted once until the headers and once more until the body: together less than the lease of a renewal. */
const TIMEOUT_MS = 10_000;

/** What `DEBUG` asks for, except of this library: it would print tokens and the app's secret. */
export function silence(): void {
  const library = createRequire(createRequire(import.meta.url).resolve('simple-oauth2'));
  const debug = library('debug') as { enable(namespaces: string): void; disable(): string };
  debug.enable(`${debug.disable()},-simple-oauth2:*`);
}
silence();

export function oauth2Client(
  facts: OAuth2Facts,
  authBaseUrl: string,
  app: App,
  agents: Agents,
  consentBaseUrl = authBaseUrl,
  userAgent?: string,
): AuthorizationCode {
  const { base, below } = pathsOf(authBaseUrl);
  const consent = pathsOf(consentBaseUrl);
  return new AuthorizationCode({
    client: {
      id: app.clientId,
      secret: app.clientSecret.reveal(),
      idParamName: facts.clientIdName ?? 'client_id',
    },
    auth: {
      tokenHost: base.origin,
      tokenPath: below(facts.tokenPath),
      authorizeHost: consent.base.origin,
      authorizePath: consent.below(facts.authorizePath),
      revokePath: below(facts.revokePath ?? facts.tokenPath),
    },
    http: { ...httpOf(base, agents), ...(userAgent && { headers: { 'user-agent': userAgent } }) },
    options: {
      authorizationMethod: facts.clientAuth,
      bodyFormat: facts.tokenBody ?? 'form',
      scopeSeparator: facts.permissionSeparator ?? ' ',
    },
  });
}

/** Somebody's own app, which asks in its own name. Its id and secret must be visible ASCII: the library repeats others in its error. */
export function ownAppClient(
  facts: ClientCredentialsFacts,
  authBaseUrl: string,
  app: App,
  agents: Agents,
): ClientCredentials {
  const { base, below } = pathsOf(authBaseUrl);
  return new ClientCredentials({
    client: { id: app.clientId, secret: app.clientSecret.reveal() },
    auth: { tokenHost: base.origin, tokenPath: below(facts.tokenPath) },
    http: httpOf(base, agents),
    options: { authorizationMethod: facts.clientAuth },
  });
}

function pathsOf(authBaseUrl: string) {
  const base = new URL(authBaseUrl);
  return { base, below: (path: string) => base.pathname.replace(/\/$/, '') + path };
}

const httpOf = ({ protocol }: URL, agents: Agents) =>
  ({
    agent: protocol === 'https:' ? agents.https : agents.http,
    timeout: TIMEOUT_MS,
    maxBytes: TOKEN_BYTES_MAX,
    redirects: false,
  }) as const;

export function oauth2Facts(manifest: Manifest, way: ConnectWay): OAuth2Facts {
  if (!way.oauth2) throw new Error(`${manifest.id}'s way ${way.id} states no OAuth 2.0 facts`);
  const { authorizePath, tokenPath, revokePath, longLived, renewal, keyInAnswer } = way.oauth2;
  const versioned = (path: string) => path.replaceAll('{api_version}', manifest.apiVersion ?? '');
  const given = (one: TokenForToken | undefined) => one && { ...one, path: versioned(one.path) };
  return {
    ...way.oauth2,
    authorizePath: versioned(authorizePath),
    tokenPath: versioned(tokenPath),
    revokePath: revokePath === null ? null : versioned(revokePath),
    longLived: given(longLived),
    renewal: given(renewal),
    keyInAnswer: keyInAnswer && { ...keyInAnswer, deletePath: versioned(keyInAnswer.deletePath) },
  };
}

/** What went wrong at a token endpoint. Only this much of the library's error may leave: the rest of it holds secrets. */
export type TokenError =
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly error: string | null;
      /** The header as it came. */
      readonly retryAfter: string | null;
    }
  | { readonly kind: 'address_refused' }
  | { readonly kind: 'resting'; readonly retryAfterSeconds: number }
  | { readonly kind: 'no_answer' };

/** Whoever watches over calls that a library makes with a client of its own. */
export interface Attending {
  attend<Value>(
    call: { readonly platform: string; readonly origin: string },
    act: () => Promise<{ readonly value: Value; readonly outcome: OutboundOutcome }>,
  ): Promise<
    | { readonly kind: 'acted'; readonly value: Value }
    | { readonly kind: 'resting'; readonly retryAfterSeconds: number }
  >;
}

export type Asked<Answer> = { readonly kind: 'answered'; readonly answer: Answer } | TokenError;
export type Ask = <Answer>(call: () => Promise<Answer>) => Promise<Asked<Answer>>;

/** Asks a token endpoint, unless its server is left alone just now. */
export const asking =
  (attending: Attending, platform: string, authBaseUrl: string): Ask =>
  async <Answer>(call: () => Promise<Answer>): Promise<Asked<Answer>> => {
    const { origin } = new URL(authBaseUrl);
    const attended = await attending.attend<Asked<Answer>>({ platform, origin }, () =>
      call().then(
        (answer) => ({ value: { kind: 'answered', answer }, outcome: answered(200) }),
        (error: unknown) => {
          const value = readTokenError(error);
          return { value, outcome: outcomeOf(value) };
        },
      ),
    );
    return attended.kind === 'acted' ? attended.value : attended;
  };

const answered = (status: number): OutboundOutcome => ({
  kind: 'answered',
  status,
  headers: {},
  body: new Uint8Array(),
});

function outcomeOf(error: TokenError): OutboundOutcome {
  if (error.kind === 'refused') return answered(error.status);
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
  // An answer that was cut short, too large or not JSON has a status too, but says nothing.
  if (typeof status !== 'number') return { kind: 'no_answer' };
  const said = isResponseError === true ? wordIn(payload) : null;
  const retryAfter = (res as { headers?: Record<string, unknown> }).headers?.['retry-after'];
  return {
    kind: 'refused',
    status,
    error: said,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
  };
}

/** What a refusal means: that the login is over, that the app is not accepted, or nothing that is known. */
export function meaningOf(error: TokenError, errors?: TokenErrors): 'ended' | 'app' | null {
  if (error.kind !== 'refused' || error.error === null || error.status >= 500) return null;
  if (error.error === 'invalid_grant' || errors?.ended.includes(error.error)) return 'ended';
  const app = error.error === 'invalid_client' || error.error === 'unauthorized_client';
  return app || errors?.app.includes(error.error) ? 'app' : null;
}
