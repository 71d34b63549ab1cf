import { createHash, randomBytes } from 'node:crypto';
import {
  failure,
  homeOf,
  ok,
  refuse,
  retryAfterSeconds,
  type AuthorizeFailureCode,
  type Clock,
  type Grant,
  type Manifest,
  type OAuth2Facts,
  type Outbound,
  type Result,
  type TokenForToken,
  type WantedApp,
} from '@switchboard/domain';
import type { AuthorizationCode } from 'simple-oauth2';
import { refuseAnswer } from './atproto-answers.js';
import { isUnauthorized, sendToken } from './bearer-line.js';
import { calledBy } from './called-by.js';
import { deleteWhatKeyOpens, readKeyInAnswer, type AccountKey } from './key-in-answer.js';
import { sendInPath } from './key-line.js';
import { calledOf, placeOf, readName } from './named-account.js';
import { giveBackAsStated } from './oauth2-revocation.js';
import {
  asking,
  meaningOf,
  oauth2Client,
  oauth2Facts,
  type Agents,
  type App,
  type Ask,
  type Attending,
  type TokenError,
} from './oauth2-client.js';
import type { Renewal, Renewed, Scheme } from './scheme.js';
import { isSigned } from './signed-callback.js';
import { storedJson } from './stored-json.js';
import { askTokenForToken } from './token-for-token.js';
import { wordIn } from './token-error-word.js';
import { readTokenResponse, tokenFields, type TokenResponse } from './token-response.js';

export interface OAuth2Options {
  readonly outbound: Outbound & Attending;
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
  /** Left out: where tokens are made. */
  readonly consentBaseUrl?: string | null;
  readonly uploadBaseUrl?: string | null;
  readonly analyticsBaseUrl?: string | null;
};

interface Context {
  readonly kind: 'oauth2_context';
  readonly state: string;
  readonly verifier: string | null;
  /** To which app the consent page was opened: its code is good for no other. */
  readonly clientId: string;
  /** The name of the account that was asked, where one is named beforehand. */
  readonly account?: string | undefined;
}

interface Credential {
  readonly kind: 'oauth2';
  /** The app that it was granted to: no other can renew it or give it back. Left out: the one that serves its profile. */
  readonly clientId?: string;
  /** The name of the account, where it has a place of its own. */
  readonly account?: string | undefined;
  /** Who granted it, where all that an account granted to an app is one grant. */
  readonly grantedBy?: string | undefined;
  /** The header that takes the token; left out: RFC 6750's. */
  readonly header?: string | undefined;
  /** The account whose key the token is: it stands in the path. */
  readonly keyOf?: string | undefined;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** The access token itself is given for the next. */
  readonly renewsItself?: boolean | undefined;
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
    { clientId, account }: { readonly clientId?: string | undefined; readonly account?: string | undefined },
  ) {
    const home = homeOf(manifest, way);
    const found = await options.apps.find({ workspaceId, profileId, platformId: home, clientId });
    if (!found.ok) return found;
    const app = found.value;
    const facts = oauth2Facts(manifest, way);
    const origins = options.origins(home);
    const named = facts.account && account !== undefined ? placeOf(facts.account, account, origins) : null;
    const { server, authBaseUrl } = named ?? { server: null, authBaseUrl: origins.authBaseUrl };
    const consentBaseUrl = named?.authBaseUrl ?? origins.consentBaseUrl ?? authBaseUrl;
    const baseUrl = server ?? origins.baseUrl;
    if (!app || authBaseUrl === null || consentBaseUrl === null) {
      return refuse(
        'platform.not_configured',
        clientId === undefined
          ? `Nobody has set up an app for ${manifest.name}.`
          : `The app at ${manifest.name} that the account was connected with is not set up any more. Set it up again, or connect the account again.`,
      );
    }
    const { userAgent } = manifest;
    const client = oauth2Client(facts, authBaseUrl, app, options.agents, consentBaseUrl, userAgent);
    const ask = asking(options.outbound, manifest.id, authBaseUrl);
    /** Null where the platform does not give tokens for tokens that way. */
    const give = (how: TokenForToken | undefined, token: string) =>
      how && baseUrl !== null ? askTokenForToken({ ...options, baseUrl, app }, how, token) : null;
    return ok({ client, ask, give, app, facts, authBaseUrl, server });
  }

  type Kept = Pick<Credential, 'account' | 'grantedBy' | 'header' | 'refreshToken' | 'scope'>;
  function keep(clientId: string, facts: OAuth2Facts, token: TokenResponse, before: Kept) {
    const now = options.clock.now();
    const lifetime = token.expiresInSeconds;
    const accessExpiresAt = lifetime === null ? null : new Date(now.getTime() + lifetime * 1_000);
    const refreshToken = token.refreshToken ?? before.refreshToken;
    const permissions = token.scope ? withIncluded(facts, token.scope) : before.scope;
    const renewable = refreshToken !== null || facts.renewal !== undefined;
    const credential = credentials.write({
      kind: 'oauth2',
      clientId,
      account: before.account,
      grantedBy: before.grantedBy,
      header: before.header,
      accessToken: token.accessToken,
      refreshToken,
      renewsItself: facts.renewal !== undefined || undefined,
      scope: permissions,
      obtainedAt: now.toISOString(),
      accessExpiresAt: accessExpiresAt?.toISOString() ?? null,
    });
    return {
      credential,
      accessExpiresAt,
      permissions,
      expiresAt: renewable ? null : accessExpiresAt,
    };
  }

  function keepKey(clientId: string, { account, key }: AccountKey, permissions: readonly string[]): Grant {
    const credential = credentials.write({
      kind: 'oauth2',
      clientId,
      accessToken: key,
      keyOf: account,
      refreshToken: null,
      scope: permissions,
      obtainedAt: options.clock.now().toISOString(),
      accessExpiresAt: null,
    });
    return { credential, accessExpiresAt: null, expiresAt: null, permissions, server: null };
  }

  return {
    async begin(request) {
      const { manifest, way, answers, redirectUri, state } = request;
      const named = oauth2Facts(manifest, way).account;
      const account = named && readName(named, answers);
      if (named && !account) {
        const example = way.fields.find(({ name }) => name === named.field)?.placeholder ?? '';
        return refuseAnswer(named.field, `Type it as it stands in its address, such as ${example}.`);
      }
      const found = await clientOf(request, { account: account ?? undefined });
      if (!found.ok) return found;
      const { client, app, facts } = found.value;
      const verifier = facts.pkce ? randomBytes(32).toString('base64url') : null;
      const url = client.authorizeURL({
        ...facts.authorizeParams,
        ...toldOf(facts, account ?? undefined),
        redirect_uri: redirectUri,
        scope: [...facts.permissions],
        state,
        ...(verifier !== null && {
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }),
      });
      const { clientId } = app;
      const context = { state, verifier, clientId, account: account ?? undefined };
      return ok({ url, context: contexts.write({ kind: 'oauth2_context', ...context }) });
    },

    async complete(request) {
      const { manifest, redirectUri, parameters, context } = request;
      const { state, verifier, clientId, account } = contexts.read(context);
      const found = await clientOf(request, { clientId, account });
      if (!found.ok) return found;
      const { client, ask, give, app, facts, authBaseUrl, server } = found.value;
      const now = options.clock.now();
      // Who answers comes before what is answered: another server's error is not this platform's.
      const signed =
        !facts.signedCallback || isSigned(facts.signedCallback, parameters, app.clientSecret, now);
      const issuer = facts.issuerPath === null ? null : authBaseUrl.replace(/\/$/, '') + facts.issuerPath;
      const mine = parameters['state'] === state && (issuer === null || parameters['iss'] === issuer);
      if (!signed || !mine) {
        return refuse('connect.exchange_failed', 'Another server than the platform’s answered. Start again.');
      }
      if (!isOf(facts, account, parameters)) {
        return refuse('connect.exchange_failed', 'Another account than the one you named answered.');
      }
      if (['access_denied', ...(facts.deniedErrors ?? [])].includes(parameters['error'] ?? '')) {
        return refuse('connect.denied', `Access was not granted at ${manifest.name}.`);
      }
      const code = parameters['code'];
      const handed = handedOn(facts, parameters);
      if (parameters['error'] !== undefined || !code || !handed) return exchangeFailed(manifest);
      const asked = await ask(() =>
        client.getToken({
          ...facts.exchangeParams,
          ...handed,
          ...toldOf(facts, account),
          code,
          redirect_uri: redirectUri,
          ...(verifier !== null && { code_verifier: verifier }),
        }),
      );
      if (asked.kind !== 'answered') return refusedExchange(manifest, facts, asked);
      const said = asked.answer.token;
      const short = readTokenResponse(said, now);
      if (!short || (facts.account?.told && !isOf(facts, account, said))) return exchangeFailed(manifest);
      if (facts.keyInAnswer) {
        const key = readKeyInAnswer(facts.keyInAnswer, said);
        return key ? ok(keepKey(clientId, key, short.scope ?? facts.permissions)) : exchangeFailed(manifest);
      }
      const long = await give(facts.longLived, short.accessToken);
      if (long && long.kind !== 'token') return refusedExchange(manifest, facts, long);
      const token = long ? { ...long.token, scope: long.token.scope ?? short.scope } : short;
      const granter = facts.grantedBy === undefined ? undefined : tokenFields(said)[facts.grantedBy];
      const kept = keep(clientId, facts, token, {
        account,
        grantedBy: typeof granter === 'string' ? granter : account,
        header: facts.tokenHeader,
        refreshToken: null,
        scope: facts.permissions,
      });
      return ok<Grant>({ ...kept, server, expiresAt: kept.expiresAt ?? refreshEnd(facts, said, now) });
    },

    ofAccount: (login, token) =>
      credentials.write({
        ...credentials.read(login),
        accessToken: token.reveal(),
        refreshToken: null,
        renewsItself: undefined,
        obtainedAt: options.clock.now().toISOString(),
        accessExpiresAt: null,
      }),

    open(secret) {
      const credential = credentials.read(secret);
      return {
        subject: credential.keyOf ?? null,
        obtainedAt: new Date(credential.obtainedAt),
        accessExpiresAt: credential.accessExpiresAt === null ? null : new Date(credential.accessExpiresAt),
        renewable: credential.refreshToken !== null || credential.renewsItself === true,
        send:
          credential.keyOf === undefined
            ? sendToken(options.outbound, credential.accessToken, credential.header)
            : sendInPath(options.outbound, credential.accessToken),
        refusesCredential: isUnauthorized,
      };
    },

    async renew(renewal): Promise<Renewed> {
      const { manifest } = renewal;
      const before = credentials.read(renewal.credential);
      const { refreshToken } = before;
      if (refreshToken === null && !before.renewsItself) return { kind: 'over' };
      const found = await clientOf(renewal, before);
      if (!found.ok) return { kind: 'failed', failure: found.failure, unsettled: false };
      const { client, ask, give, app, facts } = found.value;
      const asked =
        refreshToken === null
          ? await give(facts.renewal, before.accessToken)
          : await refreshed(ask, client, refreshToken, options.clock);
      if (asked?.kind === 'token') {
        return { kind: 'renewed', ...keep(app.clientId, facts, asked.token, before) };
      }
      if (!asked) return { kind: 'over' };
      return renewalError(
        manifest,
        refreshToken === null ? withoutApp(facts) : facts,
        asked,
        options.clock.now(),
      );
    },

    async revoke(request) {
      const { manifest, way } = request;
      const credential = credentials.read(request.credential);
      const { keyInAnswer } = oauth2Facts(manifest, way);
      const { baseUrl } = options.origins(homeOf(manifest, way));
      if (keyInAnswer && credential.keyOf !== undefined && baseUrl !== null) {
        const key = { account: credential.keyOf, key: credential.accessToken };
        const headers = calledBy(manifest);
        const given = await deleteWhatKeyOpens(options.outbound, baseUrl, keyInAnswer, key, headers);
        return given ? ok() : notTold(manifest);
      }
      const found = await clientOf(request, credential);
      if (!found.ok && found.failure.code !== 'platform.not_configured') {
        return { ok: false, failure: { ...found.failure, code: found.failure.code } };
      }
      // Without the app there is nobody who could ask, now or later.
      if (!found.ok || found.value.facts.revokePath === null) return ok();
      const { outbound, clock } = options;
      const given = await giveBackAsStated({ ...found.value, outbound, now: clock.now() }, credential);
      return given ? ok() : notTold(manifest);
    },

    sharesGrant(one, other, byAccount) {
      const [mine, theirs] = [credentials.read(one), credentials.read(other)];
      return (
        ((byAccount || (mine.grantedBy !== undefined && mine.grantedBy === theirs.grantedBy)) &&
          mine.clientId === theirs.clientId) ||
        mine.accessToken === theirs.accessToken ||
        (mine.refreshToken !== null && mine.refreshToken === theirs.refreshToken)
      );
    },
  };
}

/** A success that brings no token says why in the field of a failure, or it says nothing that can be read. */
async function refreshed(
  ask: Ask,
  client: AuthorizationCode,
  refreshToken: string,
  clock: Clock,
): Promise<{ readonly kind: 'token'; readonly token: TokenResponse } | TokenError> {
  const asked = await ask(() => client.createToken({ refresh_token: refreshToken }).refresh());
  if (asked.kind !== 'answered') return asked;
  const token = readTokenResponse(asked.answer.token, clock.now());
  if (token) return { kind: 'token', token };
  return { kind: 'refused', status: 200, error: wordIn(asked.answer.token), retryAfter: null };
}

/** A renewal that shows nothing of the app cannot be refused for it: what else means that, is something else here. */
const withoutApp = (facts: OAuth2Facts): OAuth2Facts =>
  facts.renewal?.app.length === 0 && facts.tokenErrors
    ? { ...facts, tokenErrors: { ...facts.tokenErrors, app: [] } }
    : facts;

/** When the platform ends a login although it is renewed; null where it does not, or does not say. */
function refreshEnd(
  { refreshEndsField }: OAuth2Facts,
  said: Readonly<Record<string, unknown>>,
  now: Date,
): Date | null {
  const seconds = refreshEndsField === undefined ? undefined : Number(said[refreshEndsField]);
  const isTime = seconds !== undefined && seconds > 0 && seconds < REFRESH_SECONDS_MAX;
  return isTime ? new Date(now.getTime() + seconds * 1_000) : null;
}

const REFRESH_SECONDS_MAX = 10 * 366 * 86_400;

const notTold = (manifest: Manifest) =>
  refuse('platform.unavailable', `${manifest.name} could not be told that the account was disconnected.`);

const exchangeFailed = (manifest: Manifest) =>
  refuse('connect.exchange_failed', `${manifest.name} did not complete the connection. Start again.`);

/** What the platform is told of the account that was named. */
function toldOf({ account: named }: OAuth2Facts, account: string | undefined): Record<string, string> {
  return named?.told && account !== undefined ? { [named.parameter]: calledOf(named, account) } : {};
}

/** Whether what is said there is said of the account that was named. */
const isOf = (
  { account: named }: OAuth2Facts,
  account: string | undefined,
  said: Readonly<Record<string, unknown>>,
) => !named || (account !== undefined && said[named.parameter] === calledOf(named, account));

/** What the callback brings for the token endpoint; null where something of it is missing. */
function handedOn({ exchangeHandsOn = [] }: OAuth2Facts, parameters: Readonly<Record<string, string>>) {
  const missing = exchangeHandsOn.some((name) => !parameters[name]);
  return missing ? null : Object.fromEntries(exchangeHandsOn.map((name) => [name, parameters[name]]));
}

export const withIncluded = (
  { includedPermissions = {} }: Pick<OAuth2Facts, 'includedPermissions'>,
  granted: readonly string[],
): readonly string[] => [
  ...new Set(granted.flatMap((permission) => [permission, ...(includedPermissions[permission] ?? [])])),
];

function refusedExchange(
  manifest: Manifest,
  facts: OAuth2Facts,
  error: TokenError,
): Result<never, AuthorizeFailureCode> {
  if (error.kind === 'address_refused') {
    return refuse(
      'platform.address_refused',
      `The address of ${manifest.name} may not be reached from here.`,
    );
  }
  if (meaningOf(error, facts.tokenErrors) === 'app') {
    return refuse('platform.not_configured', `${manifest.name} does not accept the app that is set up.`);
  }
  return exchangeFailed(manifest);
}

function renewalError(manifest: Manifest, facts: OAuth2Facts, error: TokenError, now: Date): Renewed {
  const meaning = meaningOf(error, facts.tokenErrors);
  if (meaning === 'ended') return { kind: 'over' };
  return {
    kind: 'failed',
    failure:
      meaning === 'app'
        ? failure(
            'platform.not_configured',
            `${manifest.name} does not accept the app that it was connected with.`,
          )
        : failure('platform.unavailable', `${manifest.name} cannot renew the login right now.`, {
            retryAfterSeconds: restOf(error, now),
          }),
    unsettled: error.kind === 'no_answer' || (error.kind === 'refused' && error.status < 300),
  };
}

/** How long whoever was asked wants to be left alone. */
export function restOf(error: TokenError, now: Date): number | undefined {
  if (error.kind === 'resting') return error.retryAfterSeconds;
  const retryAfter = error.kind === 'refused' ? error.retryAfter : null;
  return retryAfter === null ? undefined : retryAfterSeconds(retryAfter, now);
}
