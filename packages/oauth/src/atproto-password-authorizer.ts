import {
  failure,
  ok,
  permissionsOf,
  listRequiredPermissions,
  refuse,
  type AuthorizeFailureCode,
  type Clock,
  type Manifest,
  type Outbound,
  type OutboundResponse,
  type OutboundOutcome,
  type Result,
} from '@switchboard/domain';
import { parseAtprotoLogin, parseServerOrigin, refuseFormField } from './atproto-login.js';
import type { AtprotoDirectory, DirectoryLookup } from './atproto-directory.js';
import { createBearerSend } from './create-token-send.js';
import type { TokenRenewalResult, AuthScheme } from './auth-scheme.js';
import { storedJson } from './stored-json.js';

export interface AtprotoPasswordDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly directory: AtprotoDirectory;
}

interface AtprotoPasswordCredential {
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

interface SessionTokens {
  readonly did: string;
  readonly accessJwt: string;
  readonly refreshJwt: string;
}

const credentials = storedJson<AtprotoPasswordCredential>('atproto_app_password');
const LIMITS = { deadlineSeconds: 12, maxBytes: 64 * 1024 } as const;
/** What the token of somebody's own password may do. An app password's says `com.atproto.appPass…`. */
const FULL_ACCESS = 'com.atproto.access';

/** The AT Protocol's older login: an app password gives a session of two hours that renews itself. */
export function atprotoPasswordAuthorizer({
  outbound,
  clock,
  directory,
}: AtprotoPasswordDeps): AuthScheme & Required<Pick<AuthScheme, 'login'>> {
  const post = (server: string, method: string, options: { bearer?: string; json?: unknown }) =>
    outbound.request({
      method: 'POST',
      url: `${server}/xrpc/com.atproto.server.${method}`,
      headers: {
        accept: 'application/json',
        ...(options.bearer !== undefined && { authorization: `Bearer ${options.bearer}` }),
        ...(options.json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(options.json !== undefined && { body: JSON.stringify(options.json) }),
      ...LIMITS,
    });
  const createSession = (server: string, identifier: string, password: string) =>
    post(server, 'createSession', { json: { identifier, password } });

  const createGrant = (
    base: Pick<AtprotoPasswordCredential, 'server' | 'password' | 'permissions'>,
    tokens: SessionTokens,
  ) => {
    const expires = decodeClaims(tokens.accessJwt)['exp'];
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
  async function resolveAccountServer(manifest: Manifest, identifier: string, typed: string) {
    if (typed !== '') {
      const server = parseServerOrigin(typed);
      return server === null
        ? refuseFormField('server', 'Type the server’s address, such as https://bsky.social.')
        : ok(server);
    }
    const did = identifier.startsWith('did:')
      ? { kind: 'found' as const, value: identifier }
      : await directory.resolveDid(identifier);
    const server = did.kind === 'found' ? await directory.resolveServer(did.value) : did;
    return server.kind === 'found' ? ok(server.value) : mapLookupFailure(manifest, server);
  }

  return {
    async login({ manifest, connectMethod, fieldValues: answers }) {
      const login = parseAtprotoLogin(answers['handle']);
      const password = answers['password']?.trim() ?? '';
      if (login?.kind !== 'identity')
        return refuseFormField('handle', 'Type a handle such as you.bsky.social.');
      if (password === '') return refuseFormField('password', 'Type the app password.');
      const serverResult = await resolveAccountServer(
        manifest,
        login.identifier,
        answers['server']?.trim() ?? '',
      );
      if (!serverResult.ok) return serverResult;
      const server = serverResult.value;
      const outcome = await createSession(server, login.identifier, password);
      const tokens = readSessionTokens(outcome);
      if (!tokens) return mapLoginFailure(manifest, outcome);
      if (decodeClaims(tokens.accessJwt)['scope'] === FULL_ACCESS) {
        await post(server, 'deleteSession', { bearer: tokens.refreshJwt });
        return refuseFormField(
          'password',
          'That is the account’s own password. Make an app password and type that.',
        );
      }
      const permissions = listRequiredPermissions(permissionsOf(manifest, connectMethod.id));
      return ok({ ...createGrant({ server, password, permissions }, tokens), expiresAt: null, server });
    },

    open(secret) {
      const { did, accessJwt, obtainedAt, accessExpiresAt } = credentials.read(secret);
      return {
        subject: did,
        obtainedAt: new Date(obtainedAt),
        accessExpiresAt: accessExpiresAt === null ? null : new Date(accessExpiresAt),
        isRenewable: true,
        send: createBearerSend(outbound, accessJwt),
        // An ended token is a 400 here, not a 401.
        isCredentialRejected: (answer) =>
          answer.status === 401 ||
          (answer.status === 400 && ['ExpiredToken', 'InvalidToken'].includes(readXrpcError(answer) ?? '')),
      };
    },

    async renew({ manifest, credential }): Promise<TokenRenewalResult> {
      const before = credentials.read(credential);
      const refreshed = await post(before.server, 'refreshSession', { bearer: before.refreshJwt });
      const renewed = readSessionTokens(refreshed, before.did);
      if (renewed) return { kind: 'renewed', ...createGrant(before, renewed) };
      // A refresh token that has ended is not the end: the app password may still open a new session.
      const isSessionEnded =
        refreshed.kind === 'answered' && (refreshed.status === 400 || refreshed.status === 401);
      const reopenedOutcome = isSessionEnded
        ? await createSession(before.server, before.did, before.password)
        : refreshed;
      const reopened = readSessionTokens(reopenedOutcome, before.did);
      if (reopened) return { kind: 'renewed', ...createGrant(before, reopened) };
      if (
        isSessionEnded &&
        reopenedOutcome.kind === 'answered' &&
        (reopenedOutcome.status === 400 || reopenedOutcome.status === 401)
      )
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

const parseJsonObject = (answer: OutboundResponse): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(Buffer.from(answer.body).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

const readXrpcError = (answer: OutboundResponse): string | null => {
  const { error } = parseJsonObject(answer);
  return typeof error === 'string' ? error : null;
};

/** A session, where the answer is one and belongs to the account that was asked for. */
function readSessionTokens(outcome: OutboundOutcome, expectedDid?: string): SessionTokens | null {
  if (outcome.kind !== 'answered' || outcome.status !== 200) return null;
  const { did, accessJwt, refreshJwt } = parseJsonObject(outcome);
  if (typeof did !== 'string' || !isJwt(accessJwt) || !isJwt(refreshJwt)) return null;
  return expectedDid === undefined || did === expectedDid ? { did, accessJwt, refreshJwt } : null;
}

const isJwt = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value);

/** What a server says of its own token: good for knowing when to renew, and for nothing that needs trust. */
function decodeClaims(jwt: string): Record<string, unknown> {
  const answer = { body: Buffer.from(jwt.split('.')[1] ?? '', 'base64url') } as Pick<
    OutboundResponse,
    'body'
  >;
  return parseJsonObject(answer as OutboundResponse);
}

function mapLookupFailure(
  manifest: Manifest,
  found: Exclude<DirectoryLookup<string>, { kind: 'found' }>,
): Result<never, AuthorizeFailureCode> {
  if (found.kind === 'unknown')
    return refuseFormField('handle', `No ${manifest.name} account has this handle.`);
  if (found.kind === 'address_refused') {
    return refuse('platform.address_refused', 'That server’s address may not be reached from here.');
  }
  return refuse('platform.unavailable', `The ${manifest.name} directory cannot be reached right now.`);
}

function mapLoginFailure(manifest: Manifest, outcome: OutboundOutcome): Result<never, AuthorizeFailureCode> {
  if (outcome.kind === 'not_sent' && outcome.reason === 'address_refused') {
    return refuse('platform.address_refused', 'That server’s address may not be reached from here.');
  }
  if (outcome.kind === 'not_sent' && (outcome.reason === 'dns' || outcome.reason === 'invalid_url')) {
    return refuseFormField('server', 'There is no server at this address.');
  }
  if (outcome.kind !== 'answered' || outcome.status >= 500 || outcome.status === 429) {
    return refuse('platform.unavailable', `That ${manifest.name} server cannot be reached right now.`);
  }
  if (readXrpcError(outcome) === 'AuthFactorTokenRequired') {
    return refuseFormField(
      'password',
      'That is the account’s own password. Make an app password and type that.',
    );
  }
  if (outcome.status === 401 || outcome.status === 400) {
    return refuseFormField(
      'password',
      'Handle or app password is wrong. Make a new app password if you have lost it.',
    );
  }
  return refuseFormField('server', 'There is no such server at this address.');
}
