import { createHash, randomBytes } from 'node:crypto';
import {
  failure,
  ok,
  refuse,
  retryAfterSeconds,
  type AuthorizeFailureCode,
  type Clock,
  type Grant,
  type Manifest,
  type Outbound,
  type Result,
  type WantedApp,
} from '@switchboard/domain';
import { isUnauthorized, sendBearer } from './bearer-line.js';
import {
  oauth2Client,
  oauth2Facts,
  readTokenError,
  type Agents,
  type App,
  type TokenError,
} from './oauth2-client.js';
import type { Renewal, Renewed, Scheme } from './scheme.js';
import { storedJson } from './stored-json.js';
import { readTokenResponse, type TokenResponse } from './token-response.js';

export interface OAuth2Options {
  readonly outbound: Outbound;
  readonly agents: Agents;
  readonly clock: Clock;
  readonly apps: Apps;
  readonly origins: Origins;
}

/** The OAuth apps: the tenants' own and the operator's. */
export interface Apps {
  /** The one that serves this profile; with a client id, that one, wherever in the workspace or the environment it is kept. */
  find(wanted: WantedApp): Promise<Result<App | null, 'vault.unavailable' | 'vault.unreadable'>>;
}

/** The base URLs of a platform: the manifest's unless the operator replaced them. */
export type Origins = (platformId: string) => {
  readonly baseUrl: string | null;
  readonly authBaseUrl: string | null;
};

interface Context {
  readonly kind: 'oauth2_context';
  readonly state: string;
  readonly verifier: string | null;
  /** To which app the consent page was opened: its code is good for no other. */
  readonly clientId: string;
}

interface Credential {
  readonly kind: 'oauth2';
  /** The app that it was granted to: no other can renew it or give it back. Left out: the one that serves its profile. */
  readonly clientId?: string;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly scope: readonly string[];
  readonly obtainedAt: string;
  readonly accessExpiresAt: string | null;
}

const contexts = storedJson<Context>('oauth2_context');
const credentials = storedJson<Credential>('oauth2');

/** RFC 6749's authorization code with PKCE, through simple-oauth2. */
export function oauth2Authorizer(
  options: OAuth2Options,
): Scheme & Required<Pick<Scheme, 'begin' | 'complete'>> {
  async function clientOf(
    {
      workspaceId,
      profileId,
      manifest,
      way,
    }: Pick<Renewal, 'workspaceId' | 'profileId' | 'manifest' | 'way'>,
    clientId?: string,
  ) {
    const found = await options.apps.find({ workspaceId, profileId, platformId: manifest.id, clientId });
    if (!found.ok) return found;
    const app = found.value;
    const { authBaseUrl } = options.origins(manifest.id);
    if (!app || authBaseUrl === null) {
      return refuse(
        'platform.not_configured',
        clientId === undefined
          ? `Nobody has set up an app for ${manifest.name}.`
          : `The app at ${manifest.name} that the account was connected with is not set up any more. Set it up again, or connect the account again.`,
      );
    }
    const facts = oauth2Facts(manifest, way);
    const client = oauth2Client(facts, authBaseUrl, app, options.agents);
    return ok({ client, clientId: app.clientId, facts, authBaseUrl });
  }

  function keep(clientId: string, token: TokenResponse, before: Pick<Credential, 'refreshToken' | 'scope'>) {
    const now = options.clock.now();
    const lifetime = token.expiresInSeconds;
    const accessExpiresAt = lifetime === null ? null : new Date(now.getTime() + lifetime * 1_000);
    const refreshToken = token.refreshToken ?? before.refreshToken;
    const permissions = token.scope ?? before.scope;
    const credential = credentials.write({
      kind: 'oauth2',
      clientId,
      accessToken: token.accessToken,
      refreshToken,
      scope: permissions,
      obtainedAt: now.toISOString(),
      accessExpiresAt: accessExpiresAt?.toISOString() ?? null,
    });
    return {
      credential,
      accessExpiresAt,
      permissions,
      expiresAt: refreshToken === null ? accessExpiresAt : null,
    };
  }

  return {
    async begin(request) {
      const found = await clientOf(request);
      if (!found.ok) return found;
      const { redirectUri, state } = request;
      const { client, clientId, facts } = found.value;
      const verifier = facts.pkce ? randomBytes(32).toString('base64url') : null;
      const url = client.authorizeURL({
        ...facts.authorizeParams,
        redirect_uri: redirectUri,
        scope: [...facts.permissions],
        state,
        ...(verifier !== null && {
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }),
      });
      return ok({ url, context: contexts.write({ kind: 'oauth2_context', state, verifier, clientId }) });
    },

    async complete(request) {
      const { manifest, redirectUri, parameters, context } = request;
      const { state, verifier, clientId } = contexts.read(context);
      const found = await clientOf(request, clientId);
      if (!found.ok) return found;
      const { client, facts, authBaseUrl } = found.value;
      // Who answers comes before what is answered: another server's error is not this platform's.
      const issuer = facts.issuerPath === null ? null : authBaseUrl.replace(/\/$/, '') + facts.issuerPath;
      if (parameters['state'] !== state || (issuer !== null && parameters['iss'] !== issuer)) {
        return refuse('connect.exchange_failed', 'Another server than the platform’s answered. Start again.');
      }
      if (parameters['error'] === 'access_denied') {
        return refuse('connect.denied', `Access was not granted at ${manifest.name}.`);
      }
      const code = parameters['code'];
      if (parameters['error'] !== undefined || !code) return exchangeFailed(manifest);
      const answer = await client
        .getToken({
          code,
          redirect_uri: redirectUri,
          ...(verifier !== null && { code_verifier: verifier }),
        })
        .then(({ token }) => ({ token }), readTokenError);
      if (!('token' in answer)) return refusedExchange(manifest, answer);
      const token = readTokenResponse(answer.token);
      if (!token) return exchangeFailed(manifest);
      const kept = keep(clientId, token, { refreshToken: null, scope: facts.permissions });
      return ok<Grant>({ ...kept, server: null });
    },

    ofAccount: (login, token) =>
      credentials.write({
        ...credentials.read(login),
        accessToken: token.reveal(),
        refreshToken: null,
        obtainedAt: options.clock.now().toISOString(),
        accessExpiresAt: null,
      }),

    open(secret) {
      const credential = credentials.read(secret);
      return {
        subject: null,
        obtainedAt: new Date(credential.obtainedAt),
        accessExpiresAt: credential.accessExpiresAt === null ? null : new Date(credential.accessExpiresAt),
        renewable: credential.refreshToken !== null,
        send: sendBearer(options.outbound, credential.accessToken),
        refusesCredential: isUnauthorized,
      };
    },

    async renew(renewal): Promise<Renewed> {
      const { manifest } = renewal;
      const before = credentials.read(renewal.credential);
      if (before.refreshToken === null) return { kind: 'over' };
      const found = await clientOf(renewal, before.clientId);
      if (!found.ok) return { kind: 'failed', failure: found.failure, unsettled: false };
      const answer = await found.value.client
        .createToken({ refresh_token: before.refreshToken })
        .refresh()
        .then(({ token }) => ({ token }), readTokenError);
      if (!('token' in answer)) return renewalError(manifest, answer, options.clock.now());
      const token = readTokenResponse(answer.token);
      return token
        ? { kind: 'renewed', ...keep(found.value.clientId, token, before) }
        : {
            kind: 'failed',
            failure: failure('platform.unavailable', `${manifest.name} did not renew the login.`),
            unsettled: true,
          };
    },

    async revoke(request) {
      const { manifest } = request;
      const { clientId, accessToken, refreshToken } = credentials.read(request.credential);
      const found = await clientOf(request, clientId);
      if (!found.ok && found.failure.code !== 'platform.not_configured') {
        return { ok: false, failure: { ...found.failure, code: found.failure.code } };
      }
      // Without the app there is nobody who could ask, now or later.
      if (!found.ok || found.value.facts.revokePath === null) return ok();
      const grant = found.value.client.createToken({
        access_token: accessToken,
        refresh_token: refreshToken,
      });
      for (const kind of ['refresh_token', 'access_token'] as const) {
        if (grant.token[kind] === null) continue;
        const error = await grant.revoke(kind).then(() => null, readTokenError);
        if (error && (error.kind !== 'refused' || error.status >= 500 || error.status === 429)) {
          return refuse(
            'platform.unavailable',
            `${manifest.name} could not be told that the account was disconnected.`,
          );
        }
      }
      return ok();
    },

    sharesGrant(one, other) {
      const [mine, theirs] = [credentials.read(one), credentials.read(other)];
      return (
        mine.accessToken === theirs.accessToken ||
        (mine.refreshToken !== null && mine.refreshToken === theirs.refreshToken)
      );
    },
  };
}

const exchangeFailed = (manifest: Manifest) =>
  refuse('connect.exchange_failed', `${manifest.name} did not complete the connection. Start again.`);

function refusedExchange(manifest: Manifest, error: TokenError): Result<never, AuthorizeFailureCode> {
  if (error.kind === 'address_refused') {
    return refuse(
      'platform.address_refused',
      `The address of ${manifest.name} may not be reached from here.`,
    );
  }
  if (error.kind === 'refused' && isAppError(error.error)) {
    return refuse('platform.not_configured', `${manifest.name} does not accept the app that is set up.`);
  }
  return exchangeFailed(manifest);
}

function renewalError(manifest: Manifest, error: TokenError, now: Date): Renewed {
  if (error.kind === 'refused' && error.error === 'invalid_grant') return { kind: 'over' };
  const retryAfter = error.kind === 'refused' ? error.retryAfter : null;
  return {
    kind: 'failed',
    failure:
      error.kind === 'refused' && isAppError(error.error)
        ? failure(
            'platform.not_configured',
            `${manifest.name} does not accept the app that it was connected with.`,
          )
        : failure('platform.unavailable', `${manifest.name} cannot renew the login right now.`, {
            retryAfterSeconds: retryAfter === null ? undefined : retryAfterSeconds(retryAfter, now),
          }),
    unsettled: error.kind === 'no_answer' || (error.kind === 'refused' && error.status < 300),
  };
}

const isAppError = (error: string | null) => error === 'invalid_client' || error === 'unauthorized_client';
