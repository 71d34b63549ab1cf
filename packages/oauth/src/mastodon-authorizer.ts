import { createHash, randomBytes } from 'node:crypto';
import {
  ok,
  refuse,
  Secret,
  type AuthorizeFailureCode,
  type Clock,
  type Grant,
  type Manifest,
  type Outbound,
  type Refused,
} from '@switchboard/domain';
import { refuseAnswer } from './atproto-answers.js';
import { isUnauthorized, sendBearer } from './bearer-line.js';
import { mastodonApps } from './mastodon-apps.js';
import type { RegisteredApp } from './mastodon-registration.js';
import { mastodonServers, readInstance, type Looked, type ServerFacts } from './mastodon-server.js';
import { asking, oauth2Client, type Agents, type Attending } from './oauth2-client.js';
import type { Scheme } from './scheme.js';
import { storedJson } from './stored-json.js';
import { readTokenResponse } from './token-response.js';

export interface MastodonDeps {
  readonly outbound: Outbound & Attending;
  readonly agents: Agents;
  readonly clock: Clock;
  /** What consent pages call this installation. */
  readonly clientName: string;
  readonly publicUrl: string;
  /** Servers without TLS: for development only. */
  readonly allowHttp: boolean;
}

interface Context {
  readonly kind: 'mastodon_context';
  readonly state: string;
  readonly verifier: string | null;
  readonly server: string;
  readonly facts: ServerFacts;
  readonly app: RegisteredApp;
}

interface Credential {
  readonly kind: 'mastodon_oauth';
  readonly server: string;
  readonly facts: ServerFacts;
  readonly app: RegisteredApp;
  readonly accessToken: string;
  readonly obtainedAt: string;
}

const contexts = storedJson<Context>('mastodon_context');
const credentials = storedJson<Credential>('mastodon_oauth');

/** The permissions that a platform of this scheme is asked for. */
const permissionsOf = (manifest: Manifest): readonly string[] => [
  ...new Set(Object.values(manifest.permissions).flat()),
];

/** OAuth 2.0 at a server that the person names, with an app that is made there (docs/decisions). */
export function mastodonAuthorizer(
  deps: MastodonDeps,
): Scheme & Required<Pick<Scheme, 'begin' | 'complete'>> {
  const servers = mastodonServers(deps.outbound, deps.allowHttp);
  const apps = mastodonApps(deps.outbound, deps.clock);
  const clientOf = ({ server, facts, app }: Pick<Context, 'server' | 'facts' | 'app'>) => {
    const oauth2 = { ...facts, permissions: [], clientAuth: 'body', issuerPath: null } as const;
    const { clientId, clientSecret } = app;
    return oauth2Client(oauth2, server, { clientId, clientSecret: new Secret(clientSecret) }, deps.agents);
  };

  return {
    async begin({ manifest, answers, redirectUri, state }) {
      const typed = readInstance(answers['instance'], deps.allowHttp);
      if (!typed) return refuseAnswer('instance', 'Type the name of a server, such as mastodon.social.');
      const server = await servers.serverOf(typed);
      if (server.kind !== 'found') return unfound(manifest, server);
      const facts = await servers.factsOf(server.value);
      if (facts.kind !== 'found') return unfound(manifest, facts);
      const scope = permissionsOf(manifest).join(' ');
      const app = await apps.appFor(server.value, facts.value.registerPath, {
        clientName: deps.clientName,
        website: deps.publicUrl,
        redirectUri,
        scope,
      });
      if (app.kind !== 'found') return unfound(manifest, app);
      const verifier = facts.value.pkce ? randomBytes(32).toString('base64url') : null;
      const trip = { server: server.value, facts: facts.value, app: app.value };
      const url = clientOf(trip).authorizeURL({
        redirect_uri: redirectUri,
        scope,
        state,
        ...(verifier !== null && {
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }),
      });
      return ok({ url, context: contexts.write({ kind: 'mastodon_context', state, verifier, ...trip }) });
    },

    async complete({ manifest, redirectUri, parameters, context }) {
      const { state, verifier, server, facts, app } = contexts.read(context);
      const iss = parameters['iss'];
      const stranger = iss !== undefined && facts.issuer !== null && iss !== facts.issuer;
      if (parameters['state'] !== state || stranger) {
        return refuse(
          'connect.exchange_failed',
          'Another server than the one you named answered. Start again.',
        );
      }
      if (parameters['error'] === 'access_denied') {
        apps.giveBack(server, { redirectUri, scope: permissionsOf(manifest).join(' ') }, app);
        return refuse('connect.denied', `Access was not granted at ${manifest.name}.`);
      }
      const code = parameters['code'];
      if (parameters['error'] !== undefined || !code) return exchangeFailed(manifest);
      const client = clientOf({ server, facts, app });
      const asked = await asking(
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
      if (asked.kind !== 'answered') {
        return asked.kind === 'address_refused' ? addressRefused() : exchangeFailed(manifest);
      }
      const token = readTokenResponse(asked.answer.token, deps.clock.now());
      if (!token) return exchangeFailed(manifest);
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
        // Tokens live until somebody takes them back.
        accessExpiresAt: null,
        expiresAt: null,
        permissions: token.scope ?? permissionsOf(manifest),
        server,
      });
    },

    open(secret) {
      const { accessToken, obtainedAt } = credentials.read(secret);
      return {
        subject: null,
        obtainedAt: new Date(obtainedAt),
        accessExpiresAt: null,
        renewable: false,
        send: sendBearer(deps.outbound, accessToken),
        refusesCredential: isUnauthorized,
      };
    },

    renew: () => Promise.resolve({ kind: 'over' }),

    async revoke({ manifest, credential: secret }) {
      const stored = credentials.read(secret);
      const grant = clientOf(stored).createToken({ access_token: stored.accessToken });
      const asked = await asking(
        deps.outbound,
        manifest.id,
        stored.server,
      )(() => grant.revoke('access_token'));
      const mayPass =
        asked.kind === 'no_answer' ||
        asked.kind === 'resting' ||
        (asked.kind === 'refused' && (asked.status >= 500 || asked.status === 429));
      if (!mayPass) return ok();
      return refuse(
        'platform.unavailable',
        `${manifest.name} could not be told that the account was disconnected.`,
      );
    },
  };
}

const addressRefused = () =>
  refuse('platform.address_refused', 'That server’s address may not be reached from here.');

const exchangeFailed = (manifest: Manifest) =>
  refuse('connect.exchange_failed', `${manifest.name} did not complete the connection. Start again.`);

function unfound(
  manifest: Manifest,
  { kind }: Exclude<Looked<never>, { readonly kind: 'found' }>,
): Refused<AuthorizeFailureCode> {
  if (kind === 'address_refused') return addressRefused();
  if (kind === 'too_many') {
    return refuse(
      'platform.unavailable',
      `That ${manifest.name} server asks to wait. Try again in ten minutes.`,
      {
        retryAfterSeconds: 600,
      },
    );
  }
  if (kind === 'unavailable') {
    return refuse('platform.unavailable', `That ${manifest.name} server cannot be reached right now.`);
  }
  return refuseAnswer('instance', `There is no ${manifest.name} server at this address. Check the spelling.`);
}
