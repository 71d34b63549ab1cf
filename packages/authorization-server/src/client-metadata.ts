import { plainName } from '@switchboard/domain';
import { errors, type ClientMetadata } from 'oidc-provider';

const NAME_MAX = 80;
const LOOPBACK: readonly (string | undefined)[] = ['127.0.0.1', '[::1]', 'localhost'];
/** Shown in place of a host, for a client that only a loopback redirect URI identifies. */
const THIS_DEVICE = 'localhost';

/**
 * Whether a client may use a redirect URI: https at an allowed host, or http on loopback, for programs on the
 * visitor's device (RFC 8252, section 7.3).
 */
function isAllowedRedirect(redirectHosts: readonly string[], text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '' || text.includes('#')) return false;
  if (url.protocol === 'http:') return LOOPBACK.includes(url.hostname);
  return url.protocol === 'https:' && redirectHosts.includes(url.host);
}

const isLoopback = (text: string): boolean => LOOPBACK.includes(URL.parse(text)?.hostname);

/**
 * Adapts the metadata of a registration or of a metadata document before it is validated: redirect URIs that
 * are not allowed are left out (RFC 7591, section 3.2.1, lets a server replace values), and what this server
 * does not use is dropped. A client with a loopback redirect URI is a native one, whose port may vary.
 */
export function adaptClientMetadata(metadata: ClientMetadata, redirectHosts: readonly string[]): void {
  const listed: unknown = metadata.redirect_uris;
  if (!Array.isArray(listed)) return;
  const redirectUris = listed.filter(
    (uri): uri is string => typeof uri === 'string' && isAllowedRedirect(redirectHosts, uri),
  );
  if (redirectUris.length === 0) {
    throw new errors.InvalidRedirectUri(
      'redirect_uris has no address that this server allows: https at a host of SWITCHBOARD_OAUTH_REDIRECT_HOSTS, or http on loopback',
    );
  }
  metadata.redirect_uris = redirectUris;
  metadata.application_type = redirectUris.some(isLoopback) ? 'native' : 'web';
  keepSupported(metadata, 'grant_types', ['authorization_code', 'refresh_token']);
  keepSupported(metadata, 'response_types', ['code']);
  for (const unused of UNUSED) delete metadata[unused];
}

/** Metadata of OpenID Connect, or that the consent page decides. */
const UNUSED: readonly (keyof ClientMetadata)[] = [
  'contacts',
  'default_acr_values',
  'default_max_age',
  'initiate_login_uri',
  'logo_uri',
  'policy_uri',
  'require_auth_time',
  'response_modes',
  'scope',
  'sector_identifier_uri',
  'subject_type',
  'tos_uri',
];

/** Leaves an unusable value as it is: the validation rejects it. */
function keepSupported(
  metadata: ClientMetadata,
  name: 'grant_types' | 'response_types',
  supported: readonly string[],
): void {
  const values: unknown = metadata[name];
  if (!Array.isArray(values)) return;
  const kept = supported.filter((value) => values.includes(value));
  if (kept.length > 0) Object.assign(metadata, { [name]: kept });
}

export function describeClient(
  { clientId, clientName }: { readonly clientId: string; readonly clientName?: string | undefined },
  redirectUri: string,
) {
  const redirectHost = isLoopback(redirectUri) ? null : new URL(redirectUri).host;
  const host = clientId.startsWith('https://') ? new URL(clientId).host : (redirectHost ?? THIS_DEVICE);
  return {
    oauthClientId: clientId,
    /** As the client calls itself; the host when it has no name. */
    name: plainName(clientName ?? '', NAME_MAX) || host,
    /** The host that vouches for the client: that of its metadata document, else that of its redirect URI. */
    host,
    /** Where the browser is sent with the result; null for a program on the visitor's own device. */
    redirectHost,
  };
}

/** What the consent page shows of a client. All of it is text of third parties, except the hosts. */
export type ClientDisplay = ReturnType<typeof describeClient>;
