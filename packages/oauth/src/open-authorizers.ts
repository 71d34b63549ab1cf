import {
  homeOf,
  ok,
  refuse,
  type Authorizers,
  type Manifest,
  type Outbound,
  type Session,
  type Sessions,
} from '@switchboard/domain';
import { atprotoAuthorizer, clientFactsOf } from './atproto-authorizer.js';
import { clientMetadataOf, signingKeys, type AtprotoOptions } from './atproto-client.js';
import { atprotoDirectory, type DirectoryOptions } from './atproto-directory.js';
import { atprotoPasswordAuthorizer } from './atproto-password-authorizer.js';
import { clientCredentialsAuthorizer } from './client-credentials-authorizer.js';
import { needsReauth } from './credential-store.js';
import { keyCallbackAuthorizer, type AddressCheck } from './key-callback-authorizer.js';
import { keyFormAuthorizer } from './key-form-authorizer.js';
import { mastodonAuthorizer } from './mastodon-authorizer.js';
import { oauth2Authorizer, type Apps } from './oauth2-authorizer.js';
import type { Agents, Attending } from './oauth2-client.js';
import { platformSession } from './platform-session.js';
import type { Scheme } from './scheme.js';
import { openSessions, type SessionsDeps } from './sessions.js';

export interface AuthorizersOptions extends SessionsDeps {
  readonly outbound: Outbound & Attending & AddressCheck;
  readonly agents: Agents;
  readonly apps: Apps;
  readonly atproto: AtprotoOptions & Pick<DirectoryOptions, 'resolveTxt'>;
}

export interface OpenAuthorizers {
  readonly authorizers: Authorizers;
  readonly sessions: Sessions;
  /** The document at `CLIENT_METADATA_PATH`; null for a loopback client, which has none. */
  clientMetadata(): Readonly<Record<string, unknown>> | null;
  /** The public keys at `JWKS_PATH`. */
  jwks(): Promise<{ readonly keys: readonly Readonly<Record<string, unknown>>[] }>;
}

type SchemeName = Manifest['connect'][number]['scheme'];

export function openAuthorizers(options: AuthorizersOptions): OpenAuthorizers {
  const { outbound, agents, clock, atproto, manifests, origins } = options;
  const directory = atprotoDirectory({ outbound, ...atproto });
  const schemes: Readonly<Record<SchemeName, Scheme>> = {
    oauth2: oauth2Authorizer(options),
    client_credentials: clientCredentialsAuthorizer(options),
    atproto_oauth: atprotoAuthorizer({ outbound, clock, directory, options: atproto }),
    atproto_app_password: atprotoPasswordAuthorizer({ outbound, clock, directory }),
    mastodon_oauth: mastodonAuthorizer({ outbound, agents, clock, ...atproto }),
    key_callback: keyCallbackAuthorizer({
      outbound,
      clock,
      appName: atproto.clientName,
      allowHttp: atproto.allowHttp,
    }),
    key_form: keyFormAuthorizer({ outbound, clock, origins, allowHttp: atproto.allowHttp }),
  };
  const must = <Ability>(ability: Ability | undefined, scheme: SchemeName): Ability => {
    if (ability === undefined) throw new Error(`${scheme} does not connect this way`);
    return ability;
  };

  const authorizers: Authorizers = {
    begin: (request) => must(schemes[request.way.scheme].begin, request.way.scheme)(request),
    accept: (request) => must(schemes[request.way.scheme].accept, request.way.scheme)(request),
    complete: (request) => must(schemes[request.way.scheme].complete, request.way.scheme)(request),
    login: (request) => must(schemes[request.way.scheme].login, request.way.scheme)(request),
    sessionOf: async (manifest, way, grant, signal) => {
      const line = schemes[way.scheme].open(grant.credential);
      const own = origins(homeOf(manifest, way));
      const baseUrl = grant.server ?? own.baseUrl;
      if (baseUrl === null)
        return refuse('platform.refused', `${manifest.name} did not say where the account lives.`);
      const refusedGrant = async () => needsReauth();
      const account = { id: line.subject ?? '', username: null, name: null, avatarUrl: null, url: null };
      return ok<Session>(
        platformSession({
          manifest,
          way,
          connection: null,
          account,
          baseUrl,
          origins: own,
          outbound,
          grantedPermissions: grant.permissions,
          signal,
          clock,
          access: { generation: 0, line },
          renew: refusedGrant,
          giveUp: refusedGrant,
        }),
      );
    },
    ofAccount: ({ scheme }, login, token) => ({
      ...login,
      credential: must(schemes[scheme].ofAccount, scheme)(login.credential, token),
      accessExpiresAt: null,
      expiresAt: null,
    }),
    revoke: (request) => schemes[request.way.scheme].revoke(request),
    sharesGrant: ({ scheme, oauth2 }, one, other, ofOneAccount = false) =>
      schemes[scheme].sharesGrant?.(one, other, ofOneAccount && oauth2?.grantedByAccount === true) ?? false,
  };

  return {
    authorizers,
    sessions: openSessions(options, (scheme) => schemes[scheme as SchemeName]),
    clientMetadata: () => {
      if (atproto.publicUrl.startsWith('http://')) return null;
      const speakers = manifests
        .list()
        .filter(({ connect }) => connect.some(({ scheme }) => scheme === 'atproto_oauth'));
      return clientMetadataOf(atproto, clientFactsOf(atproto.publicUrl, speakers));
    },
    jwks: async () => ({
      keys: (await signingKeys(atproto)).flatMap((key) => (key.publicJwk ? [{ ...key.publicJwk }] : [])),
    }),
  };
}
