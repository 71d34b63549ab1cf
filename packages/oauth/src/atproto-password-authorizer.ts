import {
  failure,
  ok,
  permissionsOf,
  permissionsWanted,
  refuse,
  type AuthorizeFailureCode,
  type Clock,
  type Manifest,
  type Outbound,
  type OutboundAnswer,
  type OutboundOutcome,
  type Result,
} from '@switchboard/domain';
import { readLogin, readServer, refuseAnswer } from './atproto-answers.js';
import type { Directory, Found } from './atproto-directory.js';
import { sendBearer } from './bearer-line.js';
import type { Renewed, Scheme } from './scheme.js';
import { storedJson } from './stored-json.js';

export interface PasswordDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly directory: Directory;
}

interface Credential {
  readonly kind: 'atproto_app_password';
  readonly server: string;
  readonly did: string;
  readonly password: string;
  readonly accessJwt: string;
  readonly refreshJwt: string;
  readonly obtainedAt: string;
  readonly accessExpiresAt: string | null;
  readonly permissions: readonly string[];
}

interface Tokens {
  readonly did: string;
  readonly accessJwt: string;
  readonly refreshJwt: string;
}

const credentials = storedJson<Credential>('atproto_app_password');
const LIMITS = { deadlineSeconds: 12, maxBytes: 64 * 1024 } as const;
/** What the token of somebody's own password may do. An app password's says `com.atproto.appPass…`. */
const FULL_ACCESS = 'com.atproto.access';

/** The AT Protocol's older login: an app password gives a session of two hours that renews itself. */
export function atprotoPasswordAuthorizer({
  outbound,
  clock,
  directory,
}: PasswordDeps): Scheme & Required<Pick<Scheme, 'login'>> {
  const post = (server: string, method: string, more: { bearer?: string; json?: unknown }) =>
    outbound.request({
      method: 'POST',
      url: `${server}/xrpc/com.atproto.server.${method}`,
      headers: {
        accept: 'application/json',
        ...(more.bearer !== undefined && { authorization: `Bearer ${more.bearer}` }),
        ...(more.json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(more.json !== undefined && { body: JSON.stringify(more.json) }),
      ...LIMITS,
    });
  const createSession = (server: string, identifier: string, password: string) =>
    post(server, 'createSession', { json: { identifier, password } });

  const keep = (base: Pick<Credential, 'server' | 'password' | 'permissions'>, tokens: Tokens) => {
    const expires = claimsOf(tokens.accessJwt)['exp'];
    const accessExpiresAt = typeof expires === 'number' ? new Date(expires * 1_000) : null;
    const credential = credentials.write({
      kind: 'atproto_app_password',
      ...base,
      ...tokens,
      obtainedAt: clock.now().toISOString(),
      accessExpiresAt: accessExpiresAt?.toISOString() ?? null,
    });
    return { credential, accessExpiresAt, permissions: base.permissions };
  };

  /** The account's server: as typed, or found from the handle. */
  async function findServer(manifest: Manifest, identifier: string, typed: string) {
    if (typed !== '') {
      const server = readServer(typed);
      return server === null
        ? refuseAnswer('server', 'Type the server’s address, such as https://bsky.social.')
        : ok(server);
    }
    const did = identifier.startsWith('did:')
      ? { kind: 'found' as const, value: identifier }
      : await directory.didOf(identifier);
    const server = did.kind === 'found' ? await directory.serverOf(did.value) : did;
    return server.kind === 'found' ? ok(server.value) : unfound(manifest, server);
  }

  return {
    async login({ manifest, way, answers }) {
      const login = readLogin(answers['handle']);
      const password = answers['password']?.trim() ?? '';
      if (login?.kind !== 'identity') return refuseAnswer('handle', 'Type a handle such as you.bsky.social.');
      if (password === '') return refuseAnswer('password', 'Type the app password.');
      const found = await findServer(manifest, login.identifier, answers['server']?.trim() ?? '');
      if (!found.ok) return found;
      const server = found.value;
      const outcome = await createSession(server, login.identifier, password);
      const tokens = tokensIn(outcome);
      if (!tokens) return refusedLogin(manifest, outcome);
      if (claimsOf(tokens.accessJwt)['scope'] === FULL_ACCESS) {
        await post(server, 'deleteSession', { bearer: tokens.refreshJwt });
        return refuseAnswer(
          'password',
          'That is the account’s own password. Make an app password and type that.',
        );
      }
      const permissions = permissionsWanted(permissionsOf(manifest, way.id));
      return ok({ ...keep({ server, password, permissions }, tokens), expiresAt: null, server });
    },

    open(secret) {
      const { did, accessJwt, obtainedAt, accessExpiresAt } = credentials.read(secret);
      return {
        subject: did,
        obtainedAt: new Date(obtainedAt),
        accessExpiresAt: accessExpiresAt === null ? null : new Date(accessExpiresAt),
        renewable: true,
        send: sendBearer(outbound, accessJwt),
        // An ended token is a 400 here, not a 401.
        refusesCredential: (answer) =>
          answer.status === 401 ||
          (answer.status === 400 && ['ExpiredToken', 'InvalidToken'].includes(errorIn(answer) ?? '')),
      };
    },

    async renew({ manifest, credential }): Promise<Renewed> {
      const before = credentials.read(credential);
      const refreshed = await post(before.server, 'refreshSession', { bearer: before.refreshJwt });
      const renewed = tokensIn(refreshed, before.did);
      if (renewed) return { kind: 'renewed', ...keep(before, renewed) };
      // A refresh token that has ended is not the end: the app password may still open a new session.
      const dead = refreshed.kind === 'answered' && (refreshed.status === 400 || refreshed.status === 401);
      const again = dead ? await createSession(before.server, before.did, before.password) : refreshed;
      const reopened = tokensIn(again, before.did);
      if (reopened) return { kind: 'renewed', ...keep(before, reopened) };
      if (dead && again.kind === 'answered' && (again.status === 400 || again.status === 401))
        return { kind: 'over' };
      return {
        kind: 'failed',
        failure: failure('platform.unavailable', `${manifest.name} cannot renew the login right now.`),
        // The password opens a new session however the old one ended.
        unsettled: false,
      };
    },

    async revoke({ manifest, credential: secret }) {
      const { server, refreshJwt } = credentials.read(secret);
      const outcome = await post(server, 'deleteSession', { bearer: refreshJwt });
      if (outcome.kind === 'answered' && outcome.status < 500 && outcome.status !== 429) return ok();
      if (outcome.kind === 'not_sent' && outcome.reason === 'address_refused') return ok();
      return refuse(
        'platform.unavailable',
        `${manifest.name} could not be told that the account was disconnected.`,
      );
    },
  };
}

const objectIn = (answer: OutboundAnswer): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(Buffer.from(answer.body).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

const errorIn = (answer: OutboundAnswer): string | null => {
  const { error } = objectIn(answer);
  return typeof error === 'string' ? error : null;
};

/** A session, where the answer is one and belongs to the account that was asked for. */
function tokensIn(outcome: OutboundOutcome, expectedDid?: string): Tokens | null {
  if (outcome.kind !== 'answered' || outcome.status !== 200) return null;
  const { did, accessJwt, refreshJwt } = objectIn(outcome);
  if (typeof did !== 'string' || !isJwt(accessJwt) || !isJwt(refreshJwt)) return null;
  return expectedDid === undefined || did === expectedDid ? { did, accessJwt, refreshJwt } : null;
}

const isJwt = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value);

/** What a server says of its own token: good for knowing when to renew, and for nothing that needs trust. */
function claimsOf(jwt: string): Record<string, unknown> {
  const answer = { body: Buffer.from(jwt.split('.')[1] ?? '', 'base64url') } as Pick<OutboundAnswer, 'body'>;
  return objectIn(answer as OutboundAnswer);
}

function unfound(
  manifest: Manifest,
  found: Exclude<Found<string>, { kind: 'found' }>,
): Result<never, AuthorizeFailureCode> {
  if (found.kind === 'unknown') return refuseAnswer('handle', `No ${manifest.name} account has this handle.`);
  if (found.kind === 'address_refused') {
    return refuse('platform.address_refused', 'That server’s address may not be reached from here.');
  }
  return refuse('platform.unavailable', `The ${manifest.name} directory cannot be reached right now.`);
}

function refusedLogin(manifest: Manifest, outcome: OutboundOutcome): Result<never, AuthorizeFailureCode> {
  if (outcome.kind === 'not_sent' && outcome.reason === 'address_refused') {
    return refuse('platform.address_refused', 'That server’s address may not be reached from here.');
  }
  if (outcome.kind === 'not_sent' && (outcome.reason === 'dns' || outcome.reason === 'invalid_url')) {
    return refuseAnswer('server', 'There is no server at this address.');
  }
  if (outcome.kind !== 'answered' || outcome.status >= 500 || outcome.status === 429) {
    return refuse('platform.unavailable', `That ${manifest.name} server cannot be reached right now.`);
  }
  if (errorIn(outcome) === 'AuthFactorTokenRequired') {
    return refuseAnswer(
      'password',
      'That is the account’s own password. Make an app password and type that.',
    );
  }
  if (outcome.status === 401 || outcome.status === 400) {
    return refuseAnswer(
      'password',
      'Handle or app password is wrong. Make a new app password if you have lost it.',
    );
  }
  return refuseAnswer('server', 'There is no such server at this address.');
}
