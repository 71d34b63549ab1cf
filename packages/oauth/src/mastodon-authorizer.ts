import { createHash, randomBytes } from 'node:crypto';
import { ok, refuse, Secret, type Refusal } from '@switchboard/domain';
import type { AuthorizeFailureCode, Clock, Grant, Manifest, Outbound } from '@switchboard/domain/ports';
import { refuseAddress, refuseExchange, refuseRevocation } from './refusals.js';
import { refuseFormField } from './atproto-login.js';
import { isUnauthorized, createBearerSend } from './create-token-send.js';
import { readImportedTokens, refuseImport } from './import-tokens.js';
import { mastodonApps } from './mastodon-apps.js';
import type { RegisteredApp } from './mastodon-registration.js';
import {
  mastodonServers,
  parseInstance,
  type MastodonLookup,
  type MastodonServerMetadata,
} from './mastodon-server.js';
import {
  createTokenEndpointCaller,
  createOAuth2Client,
  type HttpAgents,
  type CallGuard,
} from './oauth2-client.js';
import type { AuthScheme } from './auth-scheme.js';
import { storedJson } from './stored-json.js';
import { readTokenResponse } from './token-response.js';

interface MastodonDeps {
  readonly outbound: Outbound & CallGuard;
  readonly agents: HttpAgents;
  readonly clock: Clock;
  /** The name of this installation on consent pages. */
  readonly clientName: string;
  readonly publicUrl: string;
  /** Allows servers without TLS, for development only. */
  readonly allowHttp: boolean;
}

interface MastodonFlowContext {
  readonly kind: 'mastodon_context';
  readonly state: string;
  readonly verifier: string | null;
  readonly server: string;
  readonly facts: MastodonServerMetadata;
  readonly app: RegisteredApp;
}

interface MastodonCredential {
  readonly kind: 'mastodon_oauth';
  readonly server: string;
  /** With the app, what revoking needs; null where the token was imported, because the secret of its app is unknown. */
  readonly facts: MastodonServerMetadata | null;
  readonly app: RegisteredApp | null;
  readonly accessToken: string;
  readonly obtainedAt: string;
}

const contexts = storedJson<MastodonFlowContext>('mastodon_context');
const credentials = storedJson<MastodonCredential>('mastodon_oauth');

const listPermissions = (manifest: Manifest): readonly string[] => [
  ...new Set(Object.values(manifest.permissions).flat()),
];

/** OAuth 2.0 at a server that the visitor names, with an app registered there (docs/decisions). */
export function mastodonAuthorizer(
  deps: MastodonDeps,
): AuthScheme & Required<Pick<AuthScheme, 'begin' | 'complete'>> {
  const servers = mastodonServers(deps.outbound, deps.allowHttp);
  const apps = mastodonApps(deps.outbound, deps.clock);
  async function findServer(manifest: Manifest, text: string | undefined) {
    const typed = parseInstance(text, deps.allowHttp);
    if (!typed) return refuseFormField('instance', 'Enter a server name, such as mastodon.social.');
    const server = await servers.resolveServer(typed);
    return server.kind === 'found' ? ok(server.value) : mapLookupFailure(manifest, server);
  }
  const createClient = ({ server, facts, app }: Pick<MastodonFlowContext, 'server' | 'facts' | 'app'>) => {
    const oauth2 = { ...facts, permissions: [], clientAuth: 'body', issuerPath: null } as const;
    const { clientId, clientSecret } = app;
    return createOAuth2Client(
      oauth2,
      server,
      { clientId, clientSecret: new Secret(clientSecret) },
      deps.agents,
    );
  };

  return {
    async begin({ manifest, fieldValues, redirectUri, state }) {
      const found = await findServer(manifest, fieldValues['instance']);
      if (!found.ok) return found;
      const server = found.value;
      const metadata = await servers.factsOf(server);
      if (metadata.kind !== 'found') return mapLookupFailure(manifest, metadata);
      const facts = metadata.value;
      const scope = listPermissions(manifest).join(' ');
      const app = await apps.acquireApp(server, facts.registerPath, {
        clientName: deps.clientName,
        website: deps.publicUrl,
        redirectUri,
        scope,
      });
      if (app.kind !== 'found') return mapLookupFailure(manifest, app);
      const verifier = facts.pkce ? randomBytes(32).toString('base64url') : null;
      const flow = { server, facts, app: app.value };
      const client = await createClient(flow);
      const url = client.authorizeURL({
        redirect_uri: redirectUri,
        scope,
        state,
        ...(verifier !== null && {
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }),
      });
      return ok({ url, context: contexts.write({ kind: 'mastodon_context', state, verifier, ...flow }) });
    },

    async complete({ manifest, redirectUri, parameters, context }) {
      const { state, verifier, server, facts, app } = contexts.read(context);
      const iss = parameters['iss'];
      const isForeignIssuer = iss !== undefined && facts.issuer !== null && iss !== facts.issuer;
      if (parameters['state'] !== state || isForeignIssuer) {
        return refuse(
          'connect.exchange_failed',
          'The response came from a different server. Start the connect flow again.',
        );
      }
      if (parameters['error'] === 'access_denied') {
        apps.releaseApp(server, { redirectUri, scope: listPermissions(manifest).join(' ') }, app);
        return refuse('connect.denied', `Access was not granted at ${manifest.name}.`);
      }
      const code = parameters['code'];
      if (parameters['error'] !== undefined || !code) return refuseExchange(manifest);
      const client = await createClient({ server, facts, app });
      const tokenResult = await createTokenEndpointCaller(
        deps.outbound,
        manifest.id,
        server,
      )(() =>
        client.getToken({
          code,
          redirect_uri: redirectUri,
          ...(verifier !== null && { code_verifier: verifier }),
        }),
      );
      if (tokenResult.kind !== 'answered') {
        return tokenResult.kind === 'address_refused' ? refuseAddress() : refuseExchange(manifest);
      }
      const token = readTokenResponse(tokenResult.answer.token, deps.clock.now());
      if (!token) return refuseExchange(manifest);
      const { accessToken } = token;
      const obtainedAt = deps.clock.now().toISOString();
      return ok<Grant>({
        credential: credentials.write({
          kind: 'mastodon_oauth',
          server,
          facts,
          app,
          accessToken,
          obtainedAt,
        }),
        // Tokens are valid until they are revoked.
        accessExpiresAt: null,
        expiresAt: null,
        permissions: token.scope ?? listPermissions(manifest),
        server,
      });
    },

    async importGrant(request) {
      const { manifest, expiresAt = null } = request;
      const { permissions = listPermissions(manifest) } = request;
      const tokens = readImportedTokens(request);
      if (!tokens.ok) return tokens;
      if (request.server === undefined)
        return refuseImport(
          `Send server: the ${manifest.name} server of the account, such as mastodon.social.`,
        );
      const found = await findServer(manifest, request.server);
      if (!found.ok) return found;
      const server = found.value;
      const credential = credentials.write({
        kind: 'mastodon_oauth',
        server,
        facts: null,
        app: null,
        accessToken: tokens.value.accessToken,
        obtainedAt: deps.clock.now().toISOString(),
      });
      return ok({
        grant: { credential, accessExpiresAt: null, expiresAt, permissions, server },
        isObtained: false,
      });
    },

    open(secret) {
      const { accessToken, obtainedAt } = credentials.read(secret);
      return {
        subject: null,
        obtainedAt: new Date(obtainedAt),
        accessExpiresAt: null,
        isRenewable: false,
        send: createBearerSend(deps.outbound, accessToken),
        isCredentialRejected: isUnauthorized,
      };
    },

    renew: () => Promise.resolve({ kind: 'over' }),

    async revoke({ manifest, credential: secret }) {
      const { app, facts, ...stored } = credentials.read(secret);
      // Without the app, revocation is impossible now and later.
      if (!app || !facts) return ok();
      const client = await createClient({ ...stored, app, facts });
      const grant = client.createToken({ access_token: stored.accessToken });
      const tokenResult = await createTokenEndpointCaller(
        deps.outbound,
        manifest.id,
        stored.server,
      )(() => grant.revoke('access_token'));
      const isTransient =
        tokenResult.kind === 'no_answer' ||
        tokenResult.kind === 'not_sent' ||
        (tokenResult.kind === 'refused' && (tokenResult.status >= 500 || tokenResult.status === 429));
      if (!isTransient) return ok();
      return refuseRevocation(manifest);
    },
  };
}

function mapLookupFailure(
  manifest: Manifest,
  { kind }: Exclude<MastodonLookup<never>, { readonly kind: 'found' }>,
): Refusal<AuthorizeFailureCode> {
  if (kind === 'address_refused') return refuseAddress();
  if (kind === 'too_many') {
    return refuse(
      'platform.unavailable',
      `This ${manifest.name} server is rate limiting requests. Try again in ten minutes.`,
      {
        retryAfterSeconds: 600,
      },
    );
  }
  if (kind === 'unavailable') {
    return refuse('platform.unavailable', `That ${manifest.name} server cannot be reached right now.`);
  }
  return refuseFormField(
    'instance',
    `There is no ${manifest.name} server at this address. Check the spelling.`,
  );
}
