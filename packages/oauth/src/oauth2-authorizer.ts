import { createHash, randomBytes } from 'node:crypto';
import { failure, ok, refuse, retryAfterSeconds, type Result } from '@switchboard/domain';
import { appPlatformOf, type AppQuery } from '@switchboard/domain/platforms';
import type {
  AuthorizeFailureCode,
  Clock,
  Grant,
  Manifest,
  OAuth2Facts,
  Outbound,
  TokenExchange,
} from '@switchboard/domain/ports';
import type { AuthorizationCode } from 'simple-oauth2';
import { refuseExchange, refuseRevocation } from './refusals.js';
import { refuseFormField } from './atproto-login.js';
import { isUnauthorized, createTokenSend } from './create-token-send.js';
import { createUserAgentHeader } from './create-user-agent-header.js';
import { deleteKeyResource, readAccountKey, type AccountKey } from './read-account-key.js';
import { createPathKeySend } from './create-key-transport.js';
import { formatAccountName, resolveAccountOrigins, parseAccountName } from './named-account.js';
import { revokeOAuth2Grant } from './revoke-oauth2-grant.js';
import {
  createTokenEndpointCaller,
  classifyTokenError,
  createOAuth2Client,
  getOAuth2Facts,
  type HttpAgents,
  type OAuthApp,
  type TokenEndpointCaller,
  type CallGuard,
  type TokenError,
} from './oauth2-client.js';
import type { TokenRenewalRequest, TokenRenewalResult, AuthScheme } from './auth-scheme.js';
import { verifyCallbackSignature } from './verify-callback-signature.js';
import { storedJson } from './stored-json.js';
import { readImportedTokens, refuseImport, refuseServer } from './import-tokens.js';
import { requestTokenExchange } from './request-token-exchange.js';
import { readErrorCode } from './read-error-code.js';
import { readTokenResponse, tokenFields, type TokenResponse } from './token-response.js';

export interface OAuth2Options {
  readonly outbound: Outbound & CallGuard;
  readonly agents: HttpAgents;
  readonly clock: Clock;
  readonly apps: OAuthApps;
  readonly origins: OriginResolver;
}

/** The OAuth apps of the tenants and of the operator. */
export interface OAuthApps {
  /**
   * The default app of this profile; with a client ID, that app, wherever in the workspace or the environment
   * it is configured.
   */
  find(wanted: AppQuery): Promise<Result<OAuthApp | null, 'vault.unavailable' | 'vault.unreadable'>>;
}

/** The base URLs of a platform: the manifest's unless the operator overrides them. */
export type OriginResolver = (platformId: string) => {
  readonly baseUrl: string | null;
  readonly authBaseUrl: string | null;
  /** Omitted: the origin of the token endpoint. */
  readonly consentBaseUrl?: string | null;
  readonly uploadBaseUrl?: string | null;
  readonly analyticsBaseUrl?: string | null;
  readonly otherBaseUrls?: Readonly<Record<string, string>>;
};

interface OAuth2FlowContext {
  readonly kind: 'oauth2_context';
  readonly state: string;
  readonly verifier: string | null;
  /** The app of the consent page: the code is bound to it. */
  readonly clientId: string;
  /** The account name, where the flow names the account in advance. */
  readonly account?: string | undefined;
}

interface OAuth2Credential {
  readonly kind: 'oauth2';
  /**
   * The app that the grant was issued to: no other app can renew or revoke it. Omitted: the default app of
   * the profile.
   */
  readonly clientId?: string;
  /** The account name, where each account has its own origin. */
  readonly account?: string | undefined;
  /** The granting account, where all grants of an account to an app are one grant. */
  readonly grantedBy?: string | undefined;
  /** The header that carries the token; omitted: RFC 6750's `Authorization`. */
  readonly header?: string | undefined;
  /** The account whose key the token is: the key is part of the path. */
  readonly keyOf?: string | undefined;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** The access token itself is exchanged for the next one. */
  readonly renewsItself?: boolean | undefined;
  readonly scope: readonly string[];
  readonly obtainedAt: string;
  readonly accessExpiresAt: string | null;
}

const contexts = storedJson<OAuth2FlowContext>('oauth2_context');
const credentials = storedJson<OAuth2Credential>('oauth2');

/** The authorization code grant of RFC 6749 with PKCE, through simple-oauth2. */
export function oauth2Authorizer(
  options: OAuth2Options,
): AuthScheme & Required<Pick<AuthScheme, 'begin' | 'complete'>> {
  async function openClient(
    {
      workspaceId,
      profileId,
      manifest,
      connectMethod,
    }: Pick<TokenRenewalRequest, 'workspaceId' | 'profileId' | 'manifest' | 'connectMethod'>,
    { clientId, account }: { readonly clientId?: string | undefined; readonly account?: string | undefined },
  ) {
    const home = appPlatformOf(manifest, connectMethod);
    const opened = await options.apps.find({ workspaceId, profileId, platformId: home, clientId });
    if (!opened.ok) return opened;
    const app = opened.value;
    const facts = getOAuth2Facts(manifest, connectMethod);
    const origins = options.origins(home);
    const accountOrigins =
      facts.account && account !== undefined ? resolveAccountOrigins(facts.account, account, origins) : null;
    const { server, authBaseUrl } = accountOrigins ?? { server: null, authBaseUrl: origins.authBaseUrl };
    const consentBaseUrl = accountOrigins?.authBaseUrl ?? origins.consentBaseUrl ?? authBaseUrl;
    const baseUrl = server ?? origins.baseUrl;
    if (!app || authBaseUrl === null || consentBaseUrl === null) {
      return refuse(
        'platform.not_configured',
        clientId === undefined
          ? `No OAuth app is configured for ${manifest.name}.`
          : `The ${manifest.name} app that this account was connected with is no longer configured. Configure it again, or reconnect the account.`,
      );
    }
    const { userAgent } = manifest;
    const client = await createOAuth2Client(
      facts,
      authBaseUrl,
      app,
      options.agents,
      consentBaseUrl,
      userAgent,
    );
    const ask = createTokenEndpointCaller(options.outbound, manifest.id, authBaseUrl);
    /** Null where the platform does not exchange tokens. */
    const exchangeToken = (exchange: TokenExchange | undefined, token: string) =>
      exchange && baseUrl !== null
        ? requestTokenExchange({ ...options, baseUrl, app }, exchange, token)
        : null;
    return ok({ client, ask, give: exchangeToken, app, facts, authBaseUrl, server });
  }

  type PreviousCredential = Pick<
    OAuth2Credential,
    'account' | 'grantedBy' | 'header' | 'refreshToken' | 'scope'
  >;
  function createGrant(
    clientId: string,
    facts: OAuth2Facts,
    token: TokenResponse,
    before: PreviousCredential,
    now = options.clock.now(),
  ) {
    const lifetime = token.expiresInSeconds;
    const accessExpiresAt = lifetime === null ? null : new Date(now.getTime() + Math.round(lifetime * 1_000));
    const refreshToken = token.refreshToken ?? before.refreshToken;
    const permissions = token.scope ? withIncludedPermissions(facts, token.scope) : before.scope;
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

  function createKeyGrant(
    clientId: string,
    { account, key }: AccountKey,
    permissions: readonly string[],
  ): Grant {
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
      const { manifest, connectMethod, fieldValues, redirectUri, state } = request;
      const named = getOAuth2Facts(manifest, connectMethod).account;
      const account = named && parseAccountName(named, fieldValues);
      if (named && !account) {
        const example = connectMethod.fields.find(({ name }) => name === named.field)?.placeholder ?? '';
        return refuseFormField(named.field, `Enter the name as it appears in the URL, such as ${example}.`);
      }
      const found = await openClient(request, { account: account ?? undefined });
      if (!found.ok) return found;
      const { client, app, facts } = found.value;
      const verifier = facts.pkce ? randomBytes(32).toString('base64url') : null;
      const url = client.authorizeURL({
        ...facts.authorizeParams,
        ...createAccountParams(facts, account ?? undefined),
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
      const found = await openClient(request, { clientId, account });
      if (!found.ok) return found;
      const { client, ask, give, app, facts, authBaseUrl, server } = found.value;
      const now = options.clock.now();
      // Verify the origin of the callback before its content: an error from another server does not concern
      // this platform.
      const isSignatureValid =
        !facts.signedCallback ||
        verifyCallbackSignature(facts.signedCallback, parameters, app.clientSecret, now);
      const issuer = facts.issuerPath === null ? null : authBaseUrl.replace(/\/$/, '') + facts.issuerPath;
      const isOwnCallback =
        parameters['state'] === state && (issuer === null || parameters['iss'] === issuer);
      if (!isSignatureValid || !isOwnCallback) {
        return refuse(
          'connect.exchange_failed',
          'The response came from a different server. Start the connect flow again.',
        );
      }
      if (!isForAccount(facts, account, parameters)) {
        return refuse(
          'connect.exchange_failed',
          'The response is for a different account than the one you entered.',
        );
      }
      if (['access_denied', ...(facts.deniedErrors ?? [])].includes(parameters['error'] ?? '')) {
        return refuse('connect.denied', `Access was not granted at ${manifest.name}.`);
      }
      const code = parameters['code'];
      const forwardedParams = selectForwardedParams(facts, parameters);
      if (parameters['error'] !== undefined || !code || !forwardedParams) return refuseExchange(manifest);
      const tokenResult = await ask(() =>
        client.getToken({
          ...facts.exchangeParams,
          ...forwardedParams,
          ...createAccountParams(facts, account),
          code,
          redirect_uri: redirectUri,
          ...(verifier !== null && { code_verifier: verifier }),
        }),
      );
      if (tokenResult.kind !== 'answered') return mapExchangeError(manifest, facts, tokenResult);
      const tokenBody = tokenResult.answer.token;
      const shortLivedToken = readTokenResponse(tokenBody, now);
      if (
        !shortLivedToken ||
        (facts.account?.isSentWithTokenRequest && !isForAccount(facts, account, tokenBody))
      )
        return refuseExchange(manifest);
      if (facts.keyInResponse) {
        const key = readAccountKey(facts.keyInResponse, tokenBody);
        return key
          ? ok(createKeyGrant(clientId, key, shortLivedToken.scope ?? facts.permissions))
          : refuseExchange(manifest);
      }
      const longLivedResult = await give(facts.longLived, shortLivedToken.accessToken);
      if (longLivedResult && longLivedResult.kind !== 'token')
        return mapExchangeError(manifest, facts, longLivedResult);
      const token = longLivedResult
        ? { ...longLivedResult.token, scope: longLivedResult.token.scope ?? shortLivedToken.scope }
        : shortLivedToken;
      const granter =
        facts.grantAccountField === undefined ? undefined : tokenFields(tokenBody)[facts.grantAccountField];
      const grant = createGrant(clientId, facts, token, {
        account,
        grantedBy: typeof granter === 'string' ? granter : account,
        header: facts.tokenHeader,
        refreshToken: null,
        scope: facts.permissions,
      });
      return ok<Grant>({
        ...grant,
        server,
        expiresAt: grant.expiresAt ?? readRefreshExpiry(facts, tokenBody, now),
      });
    },

    async importGrant(request) {
      const { manifest, connectMethod, accessToken, refreshToken, expiresAt, permissions } = request;
      const facts = getOAuth2Facts(manifest, connectMethod);
      const clientId = request.clientId ?? undefined;
      const account =
        facts.account && parseAccountName(facts.account, { [facts.account.field]: request.server ?? '' });
      if (facts.account && !account) {
        const example = connectMethod.fields.find(({ name }) => name === facts.account?.field)?.placeholder;
        return refuseImport(
          `Send the name of the account at ${manifest.name} as server, such as ${example ?? ''}.`,
        );
      }
      if (!facts.account && request.server !== undefined) return refuseServer(manifest);
      const found = await openClient(request, { clientId, account: account ?? undefined });
      if (!found.ok) return found;
      const { app, server } = found.value;
      const tokens = readImportedTokens(request);
      if (!tokens.ok) return tokens;
      if (facts.keyInResponse) {
        if (request.accountId === undefined || refreshToken !== undefined) {
          return refuseImport(
            `A login at ${manifest.name} is a key that does not expire: send its id as account_id, and no refresh_token.`,
          );
        }
        const key = { account: request.accountId, key: accessToken.reveal() };
        return ok({
          grant: createKeyGrant(app.clientId, key, permissions ?? facts.permissions),
          isObtained: false,
        });
      }
      const now = options.clock.now();
      const token = {
        ...tokens.value,
        expiresInSeconds: expiresAt === undefined ? null : (expiresAt.getTime() - now.getTime()) / 1_000,
        scope: permissions ?? null,
      };
      const before = {
        account: account ?? undefined,
        grantedBy: account ?? undefined,
        header: facts.tokenHeader,
        refreshToken: null,
        scope: facts.permissions,
      };
      const grant = createGrant(app.clientId, facts, token, before, now);
      return ok({ grant: { ...grant, server }, isObtained: false });
    },

    deriveAccountCredential: (login, token) =>
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
        isRenewable: credential.refreshToken !== null || credential.renewsItself === true,
        send:
          credential.keyOf === undefined
            ? createTokenSend(options.outbound, credential.accessToken, credential.header)
            : createPathKeySend(options.outbound, credential.accessToken),
        isCredentialRejected: isUnauthorized,
      };
    },

    async renew(renewal): Promise<TokenRenewalResult> {
      const { manifest } = renewal;
      const before = credentials.read(renewal.credential);
      const { refreshToken } = before;
      if (refreshToken === null && !before.renewsItself) return { kind: 'over' };
      const found = await openClient(renewal, before);
      if (!found.ok) return { kind: 'failed', failure: found.failure, unsettled: false };
      const { client, ask, give, app, facts } = found.value;
      const tokenResult =
        refreshToken === null
          ? await give(facts.renewal, before.accessToken)
          : await requestRefresh(ask, client, refreshToken, options.clock);
      if (tokenResult?.kind === 'token') {
        return { kind: 'renewed', ...createGrant(app.clientId, facts, tokenResult.token, before) };
      }
      if (!tokenResult) return { kind: 'over' };
      return mapRenewalError(
        manifest,
        refreshToken === null ? withoutAppErrors(facts) : facts,
        tokenResult,
        options.clock.now(),
      );
    },

    async revoke(request) {
      const { manifest, connectMethod } = request;
      const credential = credentials.read(request.credential);
      const { keyInResponse } = getOAuth2Facts(manifest, connectMethod);
      const { baseUrl } = options.origins(appPlatformOf(manifest, connectMethod));
      if (keyInResponse && credential.keyOf !== undefined && baseUrl !== null) {
        const key = { account: credential.keyOf, key: credential.accessToken };
        const headers = createUserAgentHeader(manifest);
        const isRevoked = await deleteKeyResource(options.outbound, baseUrl, keyInResponse, key, headers);
        return isRevoked ? ok() : refuseRevocation(manifest);
      }
      const found = await openClient(request, credential);
      if (!found.ok && found.failure.code !== 'platform.not_configured') {
        return { ok: false, failure: { ...found.failure, code: found.failure.code } };
      }
      // Without the app, revocation is impossible now and later.
      if (!found.ok || found.value.facts.revokePath === null) return ok();
      const { outbound, clock } = options;
      const isRevoked = await revokeOAuth2Grant({ ...found.value, outbound, now: clock.now() }, credential);
      return isRevoked ? ok() : refuseRevocation(manifest);
    },

    async findAppSecret(grant) {
      const found = await openClient(grant, credentials.read(grant.credential));
      return found.ok ? ok(found.value.app.clientSecret) : found;
    },

    sharesGrant(one, other, byAccount) {
      const [ownCredential, otherCredential] = [credentials.read(one), credentials.read(other)];
      return (
        ((byAccount ||
          (ownCredential.grantedBy !== undefined && ownCredential.grantedBy === otherCredential.grantedBy)) &&
          ownCredential.clientId === otherCredential.clientId) ||
        ownCredential.accessToken === otherCredential.accessToken ||
        (ownCredential.refreshToken !== null && ownCredential.refreshToken === otherCredential.refreshToken)
      );
    },
  };
}

/** Reads a success response without a token as the error that it carries, or as unreadable. */
async function requestRefresh(
  ask: TokenEndpointCaller,
  client: AuthorizationCode,
  refreshToken: string,
  clock: Clock,
): Promise<{ readonly kind: 'token'; readonly token: TokenResponse } | TokenError> {
  const tokenResult = await ask(() => client.createToken({ refresh_token: refreshToken }).refresh());
  if (tokenResult.kind !== 'answered') return tokenResult;
  const token = readTokenResponse(tokenResult.answer.token, clock.now());
  if (token) return { kind: 'token', token };
  return { kind: 'refused', status: 200, error: readErrorCode(tokenResult.answer.token), retryAfter: null };
}

/**
 * A renewal that does not authenticate the app cannot be rejected because of it: the app error codes have
 * another meaning here.
 */
const withoutAppErrors = (facts: OAuth2Facts): OAuth2Facts =>
  facts.renewal?.app.length === 0 && facts.tokenErrors
    ? { ...facts, tokenErrors: { ...facts.tokenErrors, app: [] } }
    : facts;

/** When the platform ends a login despite renewals; null where it does not, or does not report it. */
function readRefreshExpiry(
  { refreshExpiryField }: OAuth2Facts,
  tokenBody: Readonly<Record<string, unknown>>,
  now: Date,
): Date | null {
  const seconds = refreshExpiryField === undefined ? undefined : Number(tokenBody[refreshExpiryField]);
  const isValidLifetime = seconds !== undefined && seconds > 0 && seconds < REFRESH_SECONDS_MAX;
  return isValidLifetime ? new Date(now.getTime() + seconds * 1_000) : null;
}

const REFRESH_SECONDS_MAX = 10 * 366 * 86_400;

/** The parameters that name the account to the platform. */
function createAccountParams(
  { account: named }: OAuth2Facts,
  account: string | undefined,
): Record<string, string> {
  return named?.isSentWithTokenRequest && account !== undefined
    ? { [named.parameter]: formatAccountName(named, account) }
    : {};
}

/** Whether the callback or response refers to the named account. */
const isForAccount = (
  { account: named }: OAuth2Facts,
  account: string | undefined,
  tokenBody: Readonly<Record<string, unknown>>,
) => !named || (account !== undefined && tokenBody[named.parameter] === formatAccountName(named, account));

/** The callback parameters to forward to the token endpoint; null when one of them is missing. */
function selectForwardedParams(
  { forwardedCallbackParams = [] }: OAuth2Facts,
  parameters: Readonly<Record<string, string>>,
) {
  const missing = forwardedCallbackParams.some((name) => !parameters[name]);
  return missing ? null : Object.fromEntries(forwardedCallbackParams.map((name) => [name, parameters[name]]));
}

export const withIncludedPermissions = (
  { includedPermissions = {} }: Pick<OAuth2Facts, 'includedPermissions'>,
  granted: readonly string[],
): readonly string[] => [
  ...new Set(granted.flatMap((permission) => [permission, ...(includedPermissions[permission] ?? [])])),
];

function mapExchangeError(
  manifest: Manifest,
  facts: OAuth2Facts,
  error: TokenError,
): Result<never, AuthorizeFailureCode> {
  if (error.kind === 'address_refused') {
    return refuse('platform.address_refused', `Requests to ${manifest.name} are not allowed.`);
  }
  if (classifyTokenError(error, facts.tokenErrors) === 'app') {
    return refuse('platform.not_configured', `${manifest.name} rejected the configured app.`);
  }
  return refuseExchange(manifest);
}

function mapRenewalError(
  manifest: Manifest,
  facts: OAuth2Facts,
  error: TokenError,
  now: Date,
): TokenRenewalResult {
  const meaning = classifyTokenError(error, facts.tokenErrors);
  if (meaning === 'ended') return { kind: 'over' };
  return {
    kind: 'failed',
    failure:
      meaning === 'app'
        ? failure(
            'platform.not_configured',
            `${manifest.name} rejected the app that the account was connected with.`,
          )
        : failure('platform.unavailable', `${manifest.name} cannot refresh the access token right now.`, {
            retryAfterSeconds: getRetryAfterSeconds(error, now),
          }),
    unsettled: error.kind === 'no_answer' || (error.kind === 'refused' && error.status < 300),
  };
}

/** The delay that the server requests before the next attempt. */
export function getRetryAfterSeconds(error: TokenError, now: Date): number | undefined {
  if (error.kind === 'not_sent') return error.retryAfterSeconds;
  const retryAfter = error.kind === 'refused' ? error.retryAfter : null;
  return retryAfter === null ? undefined : retryAfterSeconds(retryAfter, now);
}
