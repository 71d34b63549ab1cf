import type { Surface } from '../call.js';
import type { Ports } from '../ports/index.js';
import { isAccessToken } from './access-token.js';
import {
  admitKey,
  identify,
  invalidKey,
  readBearer,
  rejectRequest,
  type IdentificationResult,
  type PresentedCredentials,
} from './identify.js';
import { satisfies } from './scope.js';

interface PresentedCaller extends PresentedCredentials {
  readonly surface: Surface;
}

type CallerPorts = Pick<
  Ports,
  'apiKeys' | 'accessTokens' | 'keyHasher' | 'tokens' | 'settings' | 'clock' | 'addressThrottle'
>;

/**
 * Verifies an API key or, over MCP only, the access token of an OAuth client. A token represents the current
 * key of its client's lineage: policy, ceilings, quotas and revocation are the key's own, and the scopes those
 * that were consented and the key still holds. Every rejected token gets the refusal of an invalid key.
 */
export async function identifyCaller(
  ports: CallerPorts,
  { surface, ...credentials }: PresentedCaller,
): Promise<IdentificationResult> {
  const { authorization, address } = credentials;
  const token = readBearer(authorization);
  if (surface !== 'mcp' || token === null || !isAccessToken(token)) return identify(ports, credentials);
  const found = await ports.accessTokens.find(ports.tokens.digest(token));
  if (!found) return rejectRequest(ports, address, null);
  const { client, key, scopes } = found;
  // A client learns from this refusal that it is time to refresh: its address has not failed.
  if (found.expiresAt <= ports.clock.now()) return { result: invalidKey(), namedKey: key, reason: 'expired' };
  const isRevoked = client.revokedAt !== null;
  if (isRevoked || found.audience !== ports.settings.mcpUrl)
    return { ...(await rejectRequest(ports, address, key)), reason: isRevoked ? 'revoked' : 'elsewhere' };
  return admitKey(ports, address, {
    ...key,
    client: client.id,
    scopes: scopes.filter((scope) => satisfies(client.scopes, scope) && satisfies(key.scopes, scope)),
  });
}
