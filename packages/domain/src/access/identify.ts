import { refuse } from '../failure.js';
import type { Ports } from '../ports/index.js';
import type { Result } from '../result.js';
import { Secret } from '../secret.js';
import type { ApiKey } from './api-key.js';
import { findKeyRejection, type KeyRejection } from './key-rejection.js';
import { parsePublicId } from './key-format.js';

export interface PresentedCredentials {
  readonly authorization: string | undefined;
  /** The client address as reported by trusted proxies; stdio is loopback. */
  readonly address: string | undefined;
}

/**
 * The result of verifying an `Authorization` header. `namedKey` is the key that the header names, also when
 * it is rejected: for the audit row.
 */
export interface IdentificationResult {
  readonly result: Result<ApiKey, 'auth.invalid_key' | 'rate_limit.exceeded'>;
  readonly namedKey: ApiKey | null;
  /** Why the named key is rejected: for the audit row only, never returned to the caller. */
  readonly reason?: KeyRejection;
}

export const invalidKey = () =>
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
  const token = readBearer(authorization);
  const publicId = token === null ? null : parsePublicId(token);
  if (token === null || publicId === null) return rejectRequest(ports, address, null);

  const found = await ports.apiKeys.findByPublicId(publicId);
  const matches = ports.keyHasher.matches(new Secret(token), found?.hash ?? null);
  if (!found || !matches) return rejectRequest(ports, address, null);
  return admitKey(ports, address, found.key);
}

/** The text after `Bearer`; null for any other header. */
export const readBearer = (authorization: string | undefined): string | null =>
  /^bearer +([^\s,]+) *$/i.exec(authorization ?? '')?.[1] ?? null;

/** Accepts an existing key, unless it was revoked, has expired, or is used from an address outside its policy. */
export async function admitKey(
  ports: Pick<Ports, 'clock' | 'addressThrottle'>,
  address: string | undefined,
  key: ApiKey,
): Promise<IdentificationResult> {
  const reason = findKeyRejection(key, ports.clock.now(), address);
  return reason === null
    ? { result: { ok: true, value: key }, namedKey: key }
    : { ...(await rejectRequest(ports, address, key)), reason };
}

export async function rejectRequest(
  { addressThrottle }: Pick<Ports, 'addressThrottle'>,
  address: string | undefined,
  namedKey: ApiKey | null,
): Promise<IdentificationResult> {
  const retryAfterSeconds = await addressThrottle.recordFailure(address);
  return {
    result: retryAfterSeconds === null ? invalidKey() : tooManyFailures(retryAfterSeconds),
    namedKey,
  };
}
