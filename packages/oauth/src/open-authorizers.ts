import { ok, refuse } from '@switchboard/domain';
import { appPlatformOf } from '@switchboard/domain/platforms';
import type { Authorizers, Manifest, Outbound, Session } from '@switchboard/domain/ports';
import { atprotoAuthorizer, createClientConfig } from './atproto-authorizer.js';
import { createClientMetadata, loadSigningKeys, type AtprotoOptions } from './atproto-client.js';
import { atprotoDirectory, type DirectoryOptions } from './atproto-directory.js';
import { atprotoPasswordAuthorizer } from './atproto-password-authorizer.js';
import { clientCredentialsAuthorizer } from './client-credentials-authorizer.js';
import { refuseNeedsReauth } from './open-credential.js';
import { keyCallbackAuthorizer, type AddressCheck } from './key-callback-authorizer.js';
import { keyFormAuthorizer } from './key-form-authorizer.js';
import { mastodonAuthorizer } from './mastodon-authorizer.js';
import { oauth2Authorizer, type OAuthApps } from './oauth2-authorizer.js';
import type { HttpAgents, CallGuard } from './oauth2-client.js';
import { passwordLoginAuthorizer } from './password-login-authorizer.js';
import { platformSession } from './platform-session.js';
import type { AuthScheme } from './auth-scheme.js';
import { openSessions, type SessionsDeps } from './sessions.js';

export interface AuthorizersOptions extends SessionsDeps {
  readonly outbound: Outbound & CallGuard & AddressCheck;
  readonly agents: HttpAgents;
  readonly apps: OAuthApps;
  readonly atproto: AtprotoOptions & Pick<DirectoryOptions, 'resolveTxt'>;
}

type SchemeName = Manifest['connect'][number]['scheme'];

export function openAuthorizers(options: AuthorizersOptions) {
  const { outbound, agents, clock, atproto, manifests, origins } = options;
  const directory = atprotoDirectory({ outbound, ...atproto });
  const schemes: Readonly<Record<SchemeName, AuthScheme>> = {
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
    password_login: passwordLoginAuthorizer({ outbound, clock, origins, allowHttp: atproto.allowHttp }),
  };
  const abilityOf = <Name extends keyof AuthScheme>(
    name: Name,
    scheme: SchemeName,
  ): NonNullable<AuthScheme[Name]> => {
    const ability = schemes[scheme][name];
    if (!ability) throw new Error(`the scheme ${scheme} does not support this step`);
    return ability;
  };

  const authorizers: Authorizers = {
    begin: (request) => abilityOf('begin', request.connectMethod.scheme)(request),
    accept: (request) => abilityOf('accept', request.connectMethod.scheme)(request),
    complete: (request) => abilityOf('complete', request.connectMethod.scheme)(request),
    login: (request) => abilityOf('login', request.connectMethod.scheme)(request),
    importGrant: (request) => abilityOf('importGrant', request.connectMethod.scheme)(request),
    openSession: async (manifest, connectMethod, grant, signal) => {
      const transport = schemes[connectMethod.scheme].open(grant.credential);
      const platformOrigins = origins(appPlatformOf(manifest, connectMethod));
      const baseUrl = grant.server ?? platformOrigins.baseUrl;
      if (baseUrl === null)
        return refuse('platform.refused', `${manifest.name} did not return the account’s server.`);
      const rejectGrant = async () => refuseNeedsReauth();
      const account = { id: transport.subject ?? '', username: null, name: null, avatarUrl: null, url: null };
      return ok<Session>(
        platformSession({
          manifest,
          connectMethod,
          connection: null,
          account,
          baseUrl,
          origins: platformOrigins,
          outbound,
          grantedPermissions: grant.permissions,
          signal,
          clock,
          credential: { generation: 0, transport },
          renew: rejectGrant,
          rejectCredential: rejectGrant,
        }),
      );
    },
    createAccountGrant: ({ scheme }, login, token) => ({
      ...login,
      credential: abilityOf('deriveAccountCredential', scheme)(login.credential, token),
      accessExpiresAt: null,
      expiresAt: null,
    }),
    revoke: (request) => schemes[request.connectMethod.scheme].revoke(request),
    sharesGrant: ({ scheme, oauth2 }, one, other, ofOneAccount = false) =>
      schemes[scheme].sharesGrant?.(
        one,
        other,
        oauth2?.grantIsPerUser === true || (ofOneAccount && oauth2?.grantIsPerAccount === true),
      ) ?? false,
  };

  return {
    authorizers,
    sessions: openSessions(options, (scheme) => schemes[scheme as SchemeName]),
    /** The document at `CLIENT_METADATA_PATH`; null for a loopback client, which has none. */
    clientMetadata: (): Readonly<Record<string, unknown>> | null => {
      if (atproto.publicUrl.startsWith('http://')) return null;
      const atprotoManifests = manifests
        .list()
        .filter(({ connect }) => connect.some(({ scheme }) => scheme === 'atproto_oauth'));
      return createClientMetadata(atproto, createClientConfig(atproto.publicUrl, atprotoManifests));
    },
    /** The public keys at `JWKS_PATH`. */
    jwks: async (): Promise<{ readonly keys: readonly Readonly<Record<string, unknown>>[] }> => ({
      keys: (await loadSigningKeys(atproto)).flatMap((key) => (key.publicJwk ? [{ ...key.publicJwk }] : [])),
    }),
  };
}
