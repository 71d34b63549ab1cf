import {
  openAuthorizationServer as open,
  type AuthorizationServer,
  type AuthorizationServerOptions,
} from '@switchboard/authorization-server';
import { Secret } from '@switchboard/domain';
import { es256Key } from './es256-key.js';
import type { Service } from './service.js';

export type { AuthorizationServer, SignIn } from '@switchboard/authorization-server';

/**
 * Opens the authorization server of MCP clients over a service. A module of its own: only REST loads it, at
 * the first request that needs it. Its keys are derived from the installation's secret and stored nowhere.
 */
export async function openAuthorizationServer(
  { config, ports, oauth, observer, log }: Service,
  pages: Pick<AuthorizationServerOptions, 'consentPath' | 'sendErrorPage'>,
): Promise<AuthorizationServer> {
  const unlocked = await ports.vault.unlock(null);
  if (!unlocked.ok) throw new Error(unlocked.failure.message);
  const cookieKey = Buffer.from(unlocked.value.derive('oauth-cookies')).toString('base64url');
  return open({
    ...pages,
    ports,
    publicUrl: config.publicUrl,
    registration: config.oauth.registration,
    redirectHosts: config.oauth.redirectHosts,
    fetch: oauth.fetch,
    mayFetch: async (address) => (await ports.addressThrottle.recordRegistration(address)) === null,
    cookieKey: new Secret(cookieKey),
    signingKey: es256Key(unlocked.value.derive('oauth-signing-key')),
    onRequest: (endpoint, outcome) => oauth.onRequest(endpoint, outcome),
    onRefusal: (refusal, requestId) =>
      log.info({ ...refusal, request_id: requestId }, 'OAuth request refused'),
    onError: (error, requestId) => observer.onError(error, requestId),
  });
}
