import { failure, ok, refuse, retryAfterOf, retryAfterSeconds, type Result } from '@switchboard/domain';
import { listRequiredPermissions, permissionsOf } from '@switchboard/domain/connections';
import type {
  AuthorizeFailureCode,
  Clock,
  ConnectMethod,
  Manifest,
  Outbound,
  OutboundOutcome,
  PasswordLoginFacts,
  SessionRequest,
} from '@switchboard/domain/ports';
import { refuseAddress } from './refusals.js';
import { refuseFormField } from './atproto-login.js';
import type { AuthScheme, TokenRenewalResult } from './auth-scheme.js';
import { createPlacedSend, type KeyPlacement } from './create-key-transport.js';
import { isUnauthorized } from './create-token-send.js';
import { createUserAgentHeader } from './create-user-agent-header.js';
import type { OriginResolver } from './oauth2-authorizer.js';
import { parseJson } from './parse-json.js';
import { readErrorCode } from './read-error-code.js';
import { readServerField } from './read-server-field.js';
import { placeholderOf } from './sign-jwt.js';
import { storedJson } from './stored-json.js';

export interface EnteredLoginDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly origins: OriginResolver;
  /** Allows servers without TLS: for development, and for hosts that the operator allowed. */
  readonly allowHttp: boolean;
}

interface StoredSession {
  readonly kind: 'password_login';
  /** The account's own server; null where all accounts are at the manifest's `baseUrl`. */
  readonly server: string | null;
  readonly token: string;
  readonly refreshToken: string | null;
  readonly send: PasswordLoginFacts['send'];
  readonly isRenewable: boolean;
  /** What was entered, only where nothing else renews the token. */
  readonly entered: Readonly<Record<string, string>> | null;
  readonly obtainedAt: string;
  readonly accessExpiresAt: string | null;
}

type Session = Pick<StoredSession, 'token' | 'refreshToken'> & { readonly accessExpiresAt: Date | null };
type Values = Readonly<Record<string, string | null>>;

const credentials = storedJson<StoredSession>('password_login');
const LIMITS = { deadlineSeconds: 12, maxBytes: 64 * 1024 } as const;
const TOKEN_MAX = 16_384;
/** The platform refuses what it was sent; any other error may pass. */
const REFUSED = [400, 401, 403, 404, 422];
const ENDED = [400, 401, 403];

/** A user name and a password, exchanged for a token by the requests that the manifest describes. */
export function passwordLoginAuthorizer({
  outbound,
  clock,
  origins,
  allowHttp,
}: EnteredLoginDeps): AuthScheme & Required<Pick<AuthScheme, 'login'>> {
  async function send(
    manifest: Manifest,
    server: string | null,
    { method = 'POST', path, body = {}, encoding, bearer }: SessionRequest,
    values: Values,
  ): Promise<OutboundOutcome> {
    const base = server ?? origins(manifest.id).baseUrl;
    if (base === null) return { kind: 'not_sent', reason: 'invalid_url' };
    const filled = fill(body, values);
    const isForm = encoding === 'form';
    const token = bearer && values[bearer];
    return outbound.request({
      method,
      url: base + path,
      headers: {
        ...createUserAgentHeader(manifest),
        accept: 'application/json',
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
      },
      body: isForm ? new URLSearchParams(filled).toString() : JSON.stringify(filled),
      ...LIMITS,
    });
  }

  function createGrant(
    manifest: Manifest,
    connectMethod: ConnectMethod,
    base: Pick<StoredSession, 'server' | 'entered'>,
    { token, refreshToken, accessExpiresAt }: Session,
  ) {
    const facts = factsOf(connectMethod);
    const credential = credentials.write({
      kind: 'password_login',
      ...base,
      token,
      refreshToken,
      send: facts.send,
      isRenewable: facts.renewal !== 'none',
      obtainedAt: clock.now().toISOString(),
      accessExpiresAt: accessExpiresAt?.toISOString() ?? null,
    });
    const permissions = listRequiredPermissions(permissionsOf(manifest, connectMethod.id));
    return { credential, accessExpiresAt, permissions };
  }

  return {
    async login({ manifest, connectMethod, fieldValues }) {
      const facts = factsOf(connectMethod);
      const read = readServerField(manifest, facts, fieldValues, origins(manifest.id), allowHttp);
      if (!read.ok) return read;
      const entered = readFields(connectMethod, fieldValues);
      const outcome = await send(manifest, read.server, facts.login, entered);
      const session = readSession(facts, outcome, clock.now());
      if (!session) return refuseLogin(manifest, connectMethod, facts, outcome);
      const base = { server: read.server, entered: facts.renewal === 'password' ? present(entered) : null };
      return ok({
        ...createGrant(manifest, connectMethod, base, session),
        // Where nothing renews it, the account must be reconnected when the token expires.
        expiresAt: facts.renewal === 'none' ? session.accessExpiresAt : null,
        server: read.server,
      });
    },

    open(secret) {
      const stored = credentials.read(secret);
      return {
        subject: null,
        obtainedAt: new Date(stored.obtainedAt),
        accessExpiresAt: stored.accessExpiresAt === null ? null : new Date(stored.accessExpiresAt),
        isRenewable: stored.isRenewable,
        send: createPlacedSend(outbound, clock, placeToken(stored.send, stored.token)),
        isCredentialRejected: isUnauthorized,
      };
    },

    async renew({ manifest, connectMethod, credential }): Promise<TokenRenewalResult> {
      const facts = factsOf(connectMethod);
      const { server, token, refreshToken, entered } = credentials.read(credential);
      const { renewal } = facts;
      if (renewal === 'none' || (renewal === 'password' && entered === null)) return { kind: 'over' };
      const outcome =
        renewal === 'password'
          ? await send(manifest, server, facts.login, entered ?? {})
          : await send(manifest, server, renewal, { token, refresh_token: refreshToken });
      const session = readSession(facts, outcome, clock.now());
      if (session) {
        const next = { ...session, refreshToken: session.refreshToken ?? refreshToken };
        return { kind: 'renewed', ...createGrant(manifest, connectMethod, { server, entered }, next) };
      }
      if (outcome.kind === 'answered' && ENDED.includes(outcome.status)) return { kind: 'over' };
      return {
        kind: 'failed',
        failure: failure('platform.unavailable', `${manifest.name} cannot renew the session right now.`, {
          retryAfterSeconds: retryAfterOfOutcome(outcome, clock.now()),
        }),
        // A password opens a new session whatever became of the last one.
        unsettled:
          renewal !== 'password' &&
          (outcome.kind === 'unknown' || (outcome.kind === 'answered' && outcome.status < 300)),
      };
    },

    async revoke({ manifest, connectMethod, credential }) {
      const { logout } = factsOf(connectMethod);
      if (!logout) return ok();
      const { server, token, refreshToken } = credentials.read(credential);
      const outcome = await send(manifest, server, logout, { token, refresh_token: refreshToken });
      if (outcome.kind === 'answered' && outcome.status < 500 && outcome.status !== 429) return ok();
      if (outcome.kind === 'not_sent' && outcome.reason === 'address_refused') return ok();
      return refuse('platform.unavailable', `${manifest.name} could not be reached to end the session.`);
    },
  };
}

function factsOf({ id, passwordLogin }: ConnectMethod): PasswordLoginFacts {
  if (!passwordLogin) throw new Error(`the connect method ${id} has no passwordLogin settings`);
  return passwordLogin;
}

/** The entered values; null for those that were left empty. A password is used exactly as it was entered. */
const readFields = ({ fields }: ConnectMethod, values: Readonly<Record<string, string>>): Values =>
  Object.fromEntries(
    fields.map(({ name, kind }) => {
      const text = values[name] ?? '';
      return [name, (kind === 'password' ? text : text.trim()) || null];
    }),
  );

const present = (values: Values): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );

const fill = (body: Readonly<Record<string, string>>, values: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, template]) => {
      const [field] = placeholderOf(template);
      const value = field === undefined ? template : (values[field] ?? null);
      return value === null ? [] : [[name, value]];
    }),
  );

function placeToken(send: PasswordLoginFacts['send'], token: string): KeyPlacement {
  switch (send.kind) {
    case 'bearer':
      return { header: ['authorization', `Bearer ${token}`] };
    case 'header':
      return { header: [send.name.toLowerCase(), (send.before ?? '') + token] };
    case 'query':
      return { inQuery: { name: send.name, key: token } };
  }
}

/** The session of a response; null unless it contains a token that can be sent. */
function readSession(facts: PasswordLoginFacts, outcome: OutboundOutcome, now: Date): Session | null {
  if (outcome.kind !== 'answered' || outcome.status < 200 || outcome.status > 299) return null;
  const { response } = facts;
  const content = parseJson(outcome.body);
  const token = valueAt(content, response.token);
  const refreshToken = response.refreshToken && valueAt(content, response.refreshToken);
  if (!isToken(token)) return null;
  return {
    token,
    refreshToken: isToken(refreshToken) ? refreshToken : null,
    accessExpiresAt: readExpiry(response.lifetime, content, token, now),
  };
}

function readExpiry(
  lifetime: PasswordLoginFacts['response']['lifetime'],
  content: unknown,
  token: string,
  now: Date,
): Date | null {
  if (!lifetime) return expiryOfJwt(token);
  const value = Number(valueAt(content, lifetime.path) ?? NaN);
  const ms = lifetime.unit === 'seconds' ? value * 1_000 : value;
  return ms > 0 && Number.isFinite(ms) ? new Date(now.getTime() + ms) : null;
}

/** The claim is not verified: it only schedules the renewal. */
function expiryOfJwt(token: string): Date | null {
  const [, claims] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token) ?? [];
  const expires = valueAt(parseJson(Buffer.from(claims ?? '', 'base64url')), ['exp']);
  return typeof expires === 'number' && expires > 0 && expires < 1e11 ? new Date(expires * 1_000) : null;
}

const isToken = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= TOKEN_MAX && /^[\x21-\x7e]+$/.test(value);

const valueAt = (content: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    content,
  );

function retryAfterOfOutcome(outcome: OutboundOutcome, now: Date): number | undefined {
  if (outcome.kind === 'not_sent') return outcome.retryAfterSeconds;
  if (outcome.kind !== 'answered' || outcome.headers['retry-after'] === undefined) return undefined;
  return retryAfterSeconds(retryAfterOf(outcome.headers), now);
}

function refuseLogin(
  manifest: Manifest,
  { fields }: ConnectMethod,
  facts: PasswordLoginFacts,
  outcome: OutboundOutcome,
): Result<never, AuthorizeFailureCode> {
  const { name } = manifest;
  const { serverField } = facts;
  const refuseServer = () =>
    serverField === null
      ? refuse('platform.unavailable', `${name} cannot be reached right now.`)
      : refuseFormField(serverField, `No ${name} server responds at this address.`);
  if (outcome.kind === 'not_sent' && outcome.reason === 'address_refused') return refuseAddress();
  if (outcome.kind === 'not_sent' && (outcome.reason === 'dns' || outcome.reason === 'invalid_url'))
    return refuseServer();
  if (outcome.kind !== 'answered' || outcome.status >= 500 || outcome.status === 429)
    return refuse('platform.unavailable', `${name} cannot be reached right now.`);
  const content = parseJson(outcome.body);
  const code = facts.response.error ? valueAt(content, facts.response.error) : readErrorCode(content);
  const field = typeof code === 'string' ? facts.fieldErrors?.[code] : undefined;
  if (field !== undefined)
    return refuseFormField(field, `${name} requires this value for the account, or did not accept it.`);
  // An error without JSON is not from this platform.
  if (content === undefined && serverField !== null) return refuseServer();
  if (REFUSED.includes(outcome.status)) {
    const password = fields.find(({ kind }) => kind === 'password')?.name ?? '';
    return refuseFormField(password, `${name} did not accept the user name or the password.`);
  }
  return refuse('connect.exchange_failed', `${name} did not open a session for this account.`);
}
