import type { NodeSavedSession, NodeSavedState } from '@atproto/oauth-client-node';
import { failure, ok, refuse, type Refusal } from '@switchboard/domain';
import { redirectUriOf } from '@switchboard/domain/connections';
import type { AuthorizeFailureCode, Clock, Manifest, Outbound } from '@switchboard/domain/ports';
import { refuseAddress, refuseExchange, refuseRevocation } from './refusals.js';
import { parseAtprotoLogin, refuseFormField } from './atproto-login.js';
import {
  atprotoClient,
  importLibrary,
  isLoopback,
  type AtprotoOptions,
  type AtprotoClientConfig,
  type AtprotoClientStore,
} from './atproto-client.js';
import type { AtprotoDirectory } from './atproto-directory.js';
import { classifyAtprotoError, type AtprotoErrorKind } from './atproto-errors.js';
import { isUnauthorized } from './create-token-send.js';
import { createDpopSend } from './create-dpop-send.js';
import type { TokenRenewalResult, AuthScheme } from './auth-scheme.js';
import { storedJson } from './stored-json.js';

interface AtprotoDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly directory: AtprotoDirectory;
  readonly options: AtprotoOptions;
}

interface AtprotoFlowContext {
  readonly kind: 'atproto_context';
  readonly state: string;
  readonly saved: NodeSavedState;
  readonly facts: AtprotoClientConfig;
}

interface AtprotoCredential {
  readonly kind: 'atproto_oauth';
  /** The client that the grant was issued to; the ID of a loopback client contains this configuration. */
  readonly facts: AtprotoClientConfig;
  readonly obtainedAt: string;
  readonly session: NodeSavedSession;
}

const contexts = storedJson<AtprotoFlowContext>('atproto_context');
const credentials = storedJson<AtprotoCredential>('atproto_oauth');

/** The default server when the login input names neither a handle nor a server. */
const DEFAULT_SERVER = 'https://bsky.social';

/** The OAuth scopes requested from platforms of this protocol, including `atproto`. */
const atprotoScope = (manifest: Manifest): string =>
  [...new Set(['atproto', ...Object.values(manifest.permissions).flat()])].join(' ');

/**
 * The AT Protocol's OAuth profile: pushed authorization requests, PKCE, DPoP, and an authorization server
 * chosen by the account.
 */
export function atprotoAuthorizer(
  deps: AtprotoDeps,
): AuthScheme & Required<Pick<AuthScheme, 'begin' | 'complete'>> {
  const { options, clock } = deps;
  const nonces = new Map<string, string>();
  const createClient = (
    facts: AtprotoClientConfig,
    memory: AtprotoClientStore = { state: null, session: null },
  ) => atprotoClient(options, facts, deps.directory, nonces, memory);

  const createGrant = (facts: AtprotoClientConfig, session: NodeSavedSession) => {
    const { expires_at: expiresAt, scope } = session.tokenSet;
    return {
      credential: credentials.write({
        kind: 'atproto_oauth',
        facts,
        obtainedAt: clock.now().toISOString(),
        session,
      }),
      accessExpiresAt: expiresAt === undefined ? null : new Date(expiresAt),
      permissions: scope.split(' '),
    };
  };

  const createServerAgent = async ({ facts, session }: AtprotoCredential) => {
    const client = await createClient(facts);
    const { JoseKey } = await importLibrary();
    const key = await JoseKey.fromJWK(session.dpopJwk);
    return client.serverFactory.fromIssuer(session.tokenSet.iss, session.authMethod, key);
  };

  return {
    async begin({ manifest, fieldValues, redirectUri, state, signal }) {
      if (isLoopback(options.publicUrl) && !/^http:\/\/(127\.0\.0\.1|\[::1\])[:/]/.test(redirectUri)) {
        return refuse(
          'platform.not_configured',
          `${manifest.name} requires SWITCHBOARD_PUBLIC_URL to be http://127.0.0.1 or an https URL.`,
        );
      }
      const typed = fieldValues['handle']?.trim() ?? '';
      const login = parseAtprotoLogin(typed === '' ? DEFAULT_SERVER : typed);
      if (!login)
        return refuseFormField('handle', 'Enter a handle such as you.bsky.social, or a server URL.');
      const facts = { redirectUris: [redirectUri], scope: atprotoScope(manifest) };
      const memory: AtprotoClientStore = { state: null, session: null };
      const client = await createClient(facts, memory);
      overrideState(client, state);
      try {
        const url = await client.authorize(login.kind === 'server' ? login.origin : login.identifier, {
          signal,
          scope: facts.scope,
          redirect_uri: redirectUri as 'https://a',
        });
        if (memory.state?.name !== state) throw new Error('the OAuth library did not use the given state');
        const context = contexts.write({ kind: 'atproto_context', state, saved: memory.state.saved, facts });
        return ok({ url: url.href, context });
      } catch (error) {
        if (memory.state !== null && memory.state.name !== state) throw error;
        return mapBeginError(manifest, classifyAtprotoError(error));
      }
    },

    async complete({ manifest, redirectUri, parameters, context }) {
      const { state, saved, facts } = contexts.read(context);
      const memory: AtprotoClientStore = { state: { name: state, saved }, session: null };
      const client = await createClient(facts, memory);
      const denied = parameters['error'] === 'access_denied' && parameters['iss'] === saved.iss;
      if (denied) return refuse('connect.denied', `Access was not granted at ${manifest.name}.`);
      try {
        await client.callback(new URLSearchParams(parameters), { redirect_uri: redirectUri as 'https://a' });
      } catch (error) {
        return classifyAtprotoError(error).kind === 'address_refused'
          ? refuseAddress()
          : refuseExchange(manifest);
      }
      if (!memory.session) return refuseExchange(manifest);
      return ok({
        ...createGrant(facts, memory.session),
        expiresAt: null,
        server: new URL(memory.session.tokenSet.aud).origin,
      });
    },

    open(secret) {
      const { session, obtainedAt } = credentials.read(secret);
      const { expires_at: expiresAt, refresh_token: refreshToken, sub } = session.tokenSet;
      return {
        subject: sub,
        obtainedAt: new Date(obtainedAt),
        accessExpiresAt: expiresAt === undefined ? null : new Date(expiresAt),
        isRenewable: refreshToken !== undefined,
        send: createDpopSend({ outbound: deps.outbound, clock, nonces }, session),
        isCredentialRejected: isUnauthorized,
      };
    },

    async renew({ manifest, credential }): Promise<TokenRenewalResult> {
      const before = credentials.read(credential);
      const { tokenSet } = before.session;
      if (tokenSet.refresh_token === undefined) return { kind: 'over' };
      try {
        const server = await createServerAgent(before);
        const next = await server.refresh(tokenSet);
        const refreshToken = next.refresh_token ?? tokenSet.refresh_token;
        const session = { ...before.session, tokenSet: { ...next, refresh_token: refreshToken } };
        return { kind: 'renewed', ...createGrant(before.facts, session) };
      } catch (error) {
        return mapRenewalError(manifest, classifyAtprotoError(error));
      }
    },

    async revoke({ manifest, credential: secret }) {
      const stored = credentials.read(secret);
      const { refresh_token: refreshToken, access_token: accessToken } = stored.session.tokenSet;
      try {
        await (await createServerAgent(stored)).request('revocation', { token: refreshToken ?? accessToken });
        return ok();
      } catch (error) {
        const atprotoError = classifyAtprotoError(error);
        const isTransient =
          atprotoError.kind === 'unreachable' ||
          (atprotoError.kind === 'answered' && (atprotoError.status >= 500 || atprotoError.status === 429));
        if (!isTransient) return ok();
        return refuseRevocation(manifest);
      }
    },
  };
}

/**
 * The client configuration that the client metadata document publishes, shared by all platforms of this
 * protocol.
 */
export const createClientConfig = (
  publicUrl: string,
  manifests: readonly Manifest[],
): AtprotoClientConfig => ({
  redirectUris: manifests.map(({ id }) => redirectUriOf(publicUrl, id)),
  scope: [...new Set(manifests.flatMap((manifest) => atprotoScope(manifest).split(' ')))].join(' '),
});

/**
 * The library generates its own `state` as the first nonce of an authorization. This overrides it with the
 * state that the browser and the session are bound to; `begin` verifies the override.
 */
function overrideState(client: Awaited<ReturnType<typeof atprotoClient>>, state: string): void {
  const generate = client.runtime.generateNonce.bind(client.runtime);
  let used = false;
  client.runtime.generateNonce = async (length) => {
    if (used) return generate(length);
    used = true;
    return state;
  };
}

function mapBeginError(manifest: Manifest, trouble: AtprotoErrorKind): Refusal<AuthorizeFailureCode> {
  if (trouble.kind === 'address_refused') return refuseAddress();
  if (
    (trouble.kind === 'unreachable' && !trouble.permanent) ||
    (trouble.kind === 'answered' && (trouble.status >= 500 || trouble.status === 429))
  ) {
    return refuse('platform.unavailable', `That ${manifest.name} server cannot be reached right now.`);
  }
  if (trouble.kind === 'answered' && trouble.error?.startsWith('invalid_client') === true) {
    return refuse(
      'platform.not_configured',
      `${manifest.name} cannot fetch the client metadata. Make SWITCHBOARD_PUBLIC_URL reachable from the internet.`,
    );
  }
  return refuseFormField(
    'handle',
    `No ${manifest.name} account or server matches this input. Check the spelling.`,
  );
}

function mapRenewalError(manifest: Manifest, trouble: AtprotoErrorKind): TokenRenewalResult {
  if (trouble.kind === 'answered' && trouble.error === 'invalid_grant') return { kind: 'over' };
  // The account moved to another server, or the signing key is missing: neither is transient.
  if (
    trouble.kind === 'other' &&
    (trouble.message === 'Issuer mismatch' || trouble.name === 'AuthMethodUnsatisfiableError')
  ) {
    return { kind: 'over' };
  }
  return {
    kind: 'failed',
    failure: failure('platform.unavailable', `${manifest.name} cannot refresh the access token right now.`),
    unsettled: trouble.kind === 'unreachable' || trouble.kind === 'other',
  };
}
