import { grantableScopes } from '@switchboard/domain/clients';
import type { Settings } from '@switchboard/domain/ports';

type ResourceSettings = Pick<Settings, 'mcpUrl' | 'publicUrl'>;

/** Where clients look for the metadata of MCP as a protected resource (RFC 9728, section 3.1). */
export function protectedResourceUrl({ mcpUrl }: Pick<Settings, 'mcpUrl'>): string {
  const { origin, pathname } = new URL(mcpUrl);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}

/** That document: REST is the authorization server. */
export const describeProtectedResource = ({ mcpUrl, publicUrl }: ResourceSettings) => ({
  resource: mcpUrl,
  authorization_servers: [publicUrl],
  scopes_supported: grantableScopes,
  bearer_methods_supported: ['header'],
  resource_name: 'Switchboard',
  resource_documentation: `${publicUrl}/docs`,
});

/** `WWW-Authenticate` of a request to MCP without a valid key or token: a client that can sign in begins there. */
export const describeBearerChallenge = (settings: Pick<Settings, 'mcpUrl'>): string =>
  `Bearer resource_metadata="${protectedResourceUrl(settings)}", error="invalid_token", scope="${grantableScopes.join(' ')}"`;
