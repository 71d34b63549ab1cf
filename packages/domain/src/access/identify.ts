import { refuse } from '../failure.js';
import type { Ports } from '../ports/index.js';
import type { Result } from '../result.js';
import { Secret } from '../secret.js';
import type { ApiKey } from './api-key.js';
import { containsCidr } from './cidr.js';
import { parsePublicId } from './key-format.js';

/** The credentials and address of a request. */
interface PresentedCredentials {
  readonly authorization: string | undefined;
  /** The client address as reported by trusted proxies; stdio is loopback. */
  readonly address: string | undefined;
}

/**
 * The result of verifying an `Authorization` header. `known` is the key that the header names, also when it
 * is rejected: for the audit row.
 */
export interface IdentificationResult {
  readonly result: Result<ApiKey, 'auth.invalid_key' | 'rate_limit.exceeded'>;
  readonly namedKey: ApiKey | null;
  /** Why the named key is rejected: for the audit row only, never returned to the caller. */
  readonly reason?: 'expired' | 'revoked' | 'elsewhere';
}

const invalid = () =>
  refuse(
    'auth.invalid_key',
    'Send a valid API key as "Authorization: Bearer swb_…". It may have expired or been revoked.',
  );

const tooManyFailures = (retryAfterSeconds: number) =>
  refuse(
    'rate_limit.exceeded',
    `Too many requests without a valid API key came from this address. Wait ${retryAfterSeconds} seconds, or send a valid key, which is accepted at once.`,
    { retryAfterSeconds },
  );

/**
 * Verifies the key first, so that a valid key is accepted regardless of how many invalid ones its address has
 * sent. Missing, malformed, unknown, expired and revoked keys, and keys used from an address outside their
 * policy, get the same refusal: 401, or 429 once the address has failed too often. A malformed key costs no
 * query.
 */
export async function identify(
  ports: Pick<Ports, 'keyHasher' | 'clock' | 'addressThrottle'> & {
    readonly apiKeys: Pick<Ports['apiKeys'], 'findByPublicId'>;
  },
  { authorization, address }: PresentedCredentials,
): Promise<IdentificationResult> {
  const rejectRequest = async (namedKey: ApiKey | null): Promise<IdentificationResult> => {
    const retryAfterSeconds = await ports.addressThrottle.recordFailure(address);
    return {
      result: retryAfterSeconds === null ? invalid() : tooManyFailures(retryAfterSeconds),
      namedKey,
    };
  };
  const token = /^bearer +([^\s,]+) *$/i.exec(authorization ?? '')?.[1];
  const publicId = token === undefined ? null : parsePublicId(token);
  if (token === undefined || publicId === null) return rejectRequest(null);

  const found = await ports.apiKeys.findByPublicId(publicId);
  const matches = ports.keyHasher.matches(new Secret(token), found?.hash ?? null);
  if (!found || !matches) return rejectRequest(null);
  const { key } = found;
  const now = ports.clock.now();
  const expired = key.policy.expiresAt !== null && key.policy.expiresAt <= now;
  const isDisallowedAddress =
    key.policy.allowedCidrs !== null &&
    !key.policy.allowedCidrs.some((cidr) => address !== undefined && containsCidr(cidr, address));
  const reason =
    key.revokedAt !== null ? 'revoked' : expired ? 'expired' : isDisallowedAddress ? 'elsewhere' : undefined;
  if (reason) return { ...(await rejectRequest(key)), reason };
  return { result: { ok: true, value: key }, namedKey: key };
}
