import { failure, ok, refuse, type Result } from '@switchboard/domain';
import { dpopMessage, permissionsOf, listRequiredPermissions } from '@switchboard/domain/connections';
import type {
  AuthorizeFailureCode,
  Clock,
  Manifest,
  Outbound,
  OutboundResponse,
  OutboundOutcome,
} from '@switchboard/domain/ports';
import { refuseAddress, refuseRevocation } from './refusals.js';
import { parseAtprotoLogin, parseServerOrigin, refuseFormField } from './atproto-login.js';
import { isDid, type AtprotoDirectory, type DirectoryLookup } from './atproto-directory.js';
import { createBearerSend } from './create-token-send.js';
import { refuseImport } from './import-tokens.js';
import type { TokenRenewalResult, AuthScheme } from './auth-scheme.js';
import { storedJson } from './stored-json.js';
import { parseJsonObject } from './parse-json.js';

interface AtprotoPasswordDeps {
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

type SessionTokens = Pick<AtprotoPasswordCredential, 'did' | 'accessJwt' | 'refreshJwt'>;

const credentials = storedJson<AtprotoPasswordCredential>('atproto_app_password');
/** The form in which servers issue app passwords. The account password of a person is never sent. */
const APP_PASSWORD = /^[a-z0-9]{4}(-[a-z0-9]{4}){3}$/i;
const LIMITS = { deadlineSeconds: 12, maxBytes: 64 * 1024 } as const;
/**
 * The token scope of a session that was created with the account password. An app password yields
 * `com.atproto.appPass…`.
 */
const FULL_ACCESS = 'com.atproto.access';

/** The AT Protocol's legacy login: an app password creates a two-hour session with a refresh token. */
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

  /** The account's server: as entered, or resolved from the handle. */
  async function resolveAccountServer(manifest: Manifest, identifier: string, typed: string) {
    if (typed !== '') {
      const server = parseServerOrigin(typed);
      return server === null
        ? refuseFormField('server', 'Enter the server URL, such as https://bsky.social.')
        : ok(server);
    }
    const did = identifier.startsWith('did:')
      ? { kind: 'found' as const, value: identifier }
      : await directory.resolveDid(identifier);
    const server = did.kind === 'found' ? await directory.resolveServer(did.value) : did;
    return server.kind === 'found' ? ok(server.value) : mapLookupFailure(manifest, server);
  }

  const scheme: AuthScheme & Required<Pick<AuthScheme, 'login'>> = {
    async login({ manifest, connectMethod, fieldValues }) {
      const login = parseAtprotoLogin(fieldValues['handle']);
      const password = fieldValues['password']?.trim() ?? '';
      if (login?.kind !== 'identity')
        return refuseFormField('handle', 'Enter a handle such as you.bsky.social.');
      if (password === '') return refuseFormField('password', 'Enter the app password.');
      const serverResult = await resolveAccountServer(
        manifest,
        login.identifier,
        fieldValues['server']?.trim() ?? '',
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
          'This is the account password. Create an app password and enter it here.',
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
        // This API reports an expired token as 400, not 401.
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
      // An expired refresh token does not end the grant: the app password may still open a new session.
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
        failure: failure(
          'platform.unavailable',
          `${manifest.name} cannot refresh the access token right now.`,
        ),
        // The app password opens a new session regardless of the outcome of the previous one.
        unsettled: false,
      };
    },

    async revoke({ manifest, credential: secret }) {
      const { server, refreshJwt } = credentials.read(secret);
      const outcome = await post(server, 'deleteSession', { bearer: refreshJwt });
      if (outcome.kind === 'answered' && outcome.status < 500 && outcome.status !== 429) return ok();
      if (outcome.kind === 'not_sent' && outcome.reason === 'address_refused') return ok();
      return refuseRevocation(manifest);
    },

    async importGrant(request) {
      const { manifest, accountId, server = '', expiresAt, permissions } = request;
      const password = request.accessToken.reveal();
      if (!APP_PASSWORD.test(password))
        return refuse('connection.import_unsupported', dpopMessage(manifest.name));
      if (accountId === undefined || !isDid(accountId))
        return refuseImport(`Send account_id: the DID of the account that the app password belongs to.`);
      if (expiresAt !== undefined)
        return refuseImport('An app password does not expire: leave out expires_at.');
      const fieldValues = { handle: accountId, password, server };
      const login = await scheme.login({ ...request, fieldValues });
      if (!login.ok) return login;
      const grant = { ...login.value, permissions: permissions ?? login.value.permissions };
      return ok({ grant, isObtained: true });
    },
  };
  return scheme;
}

const readXrpcError = (answer: OutboundResponse): string | null => {
  const { error } = parseJsonObject(answer.body);
  return typeof error === 'string' ? error : null;
};

/**
 * The session tokens of a response; null unless the response is valid and belongs to the expected account.
 */
function readSessionTokens(outcome: OutboundOutcome, expectedDid?: string): SessionTokens | null {
  if (outcome.kind !== 'answered' || outcome.status !== 200) return null;
  const { did, accessJwt, refreshJwt } = parseJsonObject(outcome.body);
  if (typeof did !== 'string' || !isJwt(accessJwt) || !isJwt(refreshJwt)) return null;
  return expectedDid === undefined || did === expectedDid ? { did, accessJwt, refreshJwt } : null;
}

const isJwt = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value);

/** Decodes the claims of a server's own token without verification: they only schedule the renewal. */
const decodeClaims = (jwt: string) => parseJsonObject(Buffer.from(jwt.split('.')[1] ?? '', 'base64url'));

function mapLookupFailure(
  manifest: Manifest,
  found: Exclude<DirectoryLookup<string>, { kind: 'found' }>,
): Result<never, AuthorizeFailureCode> {
  if (found.kind === 'unknown')
    return refuseFormField('handle', `No ${manifest.name} account has this handle.`);
  if (found.kind === 'address_refused') {
    return refuseAddress();
  }
  return refuse('platform.unavailable', `The ${manifest.name} directory cannot be reached right now.`);
}

function mapLoginFailure(manifest: Manifest, outcome: OutboundOutcome): Result<never, AuthorizeFailureCode> {
  if (outcome.kind === 'not_sent' && outcome.reason === 'address_refused') {
    return refuseAddress();
  }
  if (outcome.kind === 'not_sent' && (outcome.reason === 'dns' || outcome.reason === 'invalid_url')) {
    return refuseFormField('server', 'No server responds at this address.');
  }
  if (outcome.kind !== 'answered' || outcome.status >= 500 || outcome.status === 429) {
    return refuse('platform.unavailable', `That ${manifest.name} server cannot be reached right now.`);
  }
  if (readXrpcError(outcome) === 'AuthFactorTokenRequired') {
    return refuseFormField(
      'password',
      'This is the account password. Create an app password and enter it here.',
    );
  }
  if (outcome.status === 401 || outcome.status === 400) {
    return refuseFormField(
      'password',
      'The handle or app password is incorrect. Create a new app password if you lost it.',
    );
  }
  return refuseFormField('server', 'No server responds at this address.');
}
