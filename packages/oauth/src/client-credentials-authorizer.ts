import { failure, ok, refuse, Secret } from '@switchboard/domain';
import { permissionsOf, listRequiredPermissions } from '@switchboard/domain/connections';
import type { ClientCredentialsFacts, ConnectMethod, Manifest } from '@switchboard/domain/ports';
import { refuseFormField } from './atproto-login.js';
import { isUnauthorized, createTokenSend } from './create-token-send.js';
import { resolveAccountOrigins, parseAccountName } from './named-account.js';
import { getRetryAfterSeconds, withIncludedPermissions, type OAuth2Options } from './oauth2-authorizer.js';
import {
  createTokenEndpointCaller,
  classifyTokenError,
  createClientCredentialsClient,
  type TokenError,
} from './oauth2-client.js';
import type { AuthScheme } from './auth-scheme.js';
import { storedJson } from './stored-json.js';
import { readTokenResponse } from './token-response.js';

/** The account's name, and the client ID and secret of its owner's app. */
interface ClientCredentialsLogin {
  readonly account: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface StoredClientCredentials extends ClientCredentialsLogin {
  readonly kind: 'client_credentials';
  readonly header: string | undefined;
  readonly accessToken: string;
  readonly obtainedAt: string;
  readonly accessExpiresAt: string | null;
}

const credentials = storedJson<StoredClientCredentials>('client_credentials');

/** Visible ASCII without spaces, as RFC 6749 (appendix A) defines client IDs and secrets. */
const isVisibleAscii = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/**
 * The client credentials grant of RFC 6749, through simple-oauth2: an app-only token, requested again with
 * the same secret before it expires.
 */
export function clientCredentialsAuthorizer({
  outbound,
  agents,
  clock,
  origins,
}: Omit<OAuth2Options, 'apps'>): AuthScheme & Required<Pick<AuthScheme, 'login'>> {
  async function requestToken(
    manifest: Manifest,
    connectMethod: ConnectMethod,
    login: ClientCredentialsLogin,
  ) {
    const facts = getClientCredentialsFacts(connectMethod);
    const { server, authBaseUrl } = resolveAccountOrigins(facts.account, login.account, origins(manifest.id));
    if (authBaseUrl === null) throw new Error(`${manifest.id} names no token endpoint`);
    const app = { clientId: login.clientId, clientSecret: new Secret(login.clientSecret) };
    const client = await createClientCredentialsClient(facts, authBaseUrl, app, agents);
    const tokenResult = await createTokenEndpointCaller(
      outbound,
      manifest.id,
      authBaseUrl,
    )(() => client.getToken({}));
    if (tokenResult.kind !== 'answered') return { error: tokenResult };
    const now = clock.now();
    const token = readTokenResponse(tokenResult.answer.token, now);
    if (!token) return { error: { kind: 'no_answer' } as const };
    const lifetime = token.expiresInSeconds;
    const accessExpiresAt = lifetime === null ? null : new Date(now.getTime() + lifetime * 1_000);
    const { account, clientId, clientSecret } = login;
    const credential = credentials.write({
      kind: 'client_credentials',
      account,
      clientId,
      clientSecret,
      header: facts.tokenHeader,
      accessToken: token.accessToken,
      obtainedAt: now.toISOString(),
      accessExpiresAt: accessExpiresAt?.toISOString() ?? null,
    });
    const permissions = token.scope
      ? withIncludedPermissions(facts, token.scope)
      : listRequiredPermissions(permissionsOf(manifest, connectMethod.id));
    return { grant: { credential, accessExpiresAt, expiresAt: null, permissions, server } };
  }

  return {
    async login({ manifest, connectMethod, fieldValues }) {
      const facts = getClientCredentialsFacts(connectMethod);
      const { account: accountField, idField, secretField } = facts;
      const account = parseAccountName(accountField, fieldValues);
      if (account === null) {
        const example =
          connectMethod.fields.find(({ name }) => name === accountField.field)?.placeholder ?? '';
        return refuseFormField(
          accountField.field,
          `Enter the name as it appears in the URL, such as ${example}.`,
        );
      }
      const [clientId = '', clientSecret = ''] = [idField, secretField].map((field) =>
        (fieldValues[field] ?? '').trim(),
      );
      if (!isVisibleAscii(clientId) || !isVisibleAscii(clientSecret)) {
        const invalidField = isVisibleAscii(clientId) ? secretField : idField;
        return refuseFormField(invalidField, 'The value contains an invalid character. Copy it again.');
      }
      const { grant, error } = await requestToken(manifest, connectMethod, {
        account,
        clientId,
        clientSecret,
      });
      if (grant) return ok(grant);
      if (error.kind === 'address_refused') {
        return refuse('platform.address_refused', `Requests to ${manifest.name} are not allowed.`);
      }
      return isClientError(error)
        ? refuseFormField(
            secretField,
            `${manifest.name} rejected these credentials. Check the store, the client ID and the client secret.`,
          )
        : refuse('platform.unavailable', `${manifest.name} cannot be reached right now.`);
    },

    open(secret) {
      const { accessToken, header, obtainedAt, accessExpiresAt } = credentials.read(secret);
      return {
        subject: null,
        obtainedAt: new Date(obtainedAt),
        accessExpiresAt: accessExpiresAt === null ? null : new Date(accessExpiresAt),
        isRenewable: true,
        send: createTokenSend(outbound, accessToken, header),
        isCredentialRejected: isUnauthorized,
      };
    },

    async renew({ manifest, connectMethod, credential }) {
      const facts = getClientCredentialsFacts(connectMethod);
      const { grant, error } = await requestToken(manifest, connectMethod, credentials.read(credential));
      if (grant) return { kind: 'renewed', ...grant };
      // The app belongs to the account owner: when the platform rejects it, only the owner can fix that.
      if (classifyTokenError(error, facts.tokenErrors) !== null) return { kind: 'over' };
      return {
        kind: 'failed',
        failure: failure('platform.unavailable', `${manifest.name} cannot issue an access token right now.`, {
          retryAfterSeconds: getRetryAfterSeconds(error, clock.now()),
        }),
        // A failed request does not invalidate the client secret.
        unsettled: false,
      };
    },

    findAppSecret: async ({ credential }) => ok(new Secret(credentials.read(credential).clientSecret)),

    /** The app belongs to its owner and stays; the token expires by itself. */
    revoke: async () => ok(),
  };
}

const isClientError = (error: TokenError) =>
  error.kind === 'refused' && error.status >= 400 && error.status < 500 && error.status !== 429;

function getClientCredentialsFacts({ id, clientCredentials }: ConnectMethod): ClientCredentialsFacts {
  if (!clientCredentials) throw new Error(`the connect method ${id} has no clientCredentials settings`);
  return clientCredentials;
}
