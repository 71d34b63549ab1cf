import type { ApiKey } from '../access/api-key.js';

/**
 * The request quotas: `key` is that of the key's lineage and of each of its ancestors, of which the one that leaves least is
 * reported, and `workspace` is that of all keys of the workspace together.
 */
export type QuotaName = 'key' | 'workspace';

/** The state of one request quota, as far as this process knows. */
export interface QuotaState {
  readonly name: QuotaName;
  /** Requests per window. */
  readonly quota: number;
  readonly windowSeconds: number;
  /** After this request. */
  readonly remaining: number;
  /** Whole seconds until the window is over; at least 1. */
  readonly resetSeconds: number;
}

/** What came of a request for one more request. */
export interface RateLimitDecision {
  /** The quota that refused the request; null when it was granted. */
  readonly exhausted: QuotaState | null;
  /** The quotas that were looked at: only the exhausted one of a request that was refused. */
  readonly quotas: readonly QuotaState[];
  /** False while the count that all processes share cannot be reached, and this one counts for itself. */
  readonly isShared: boolean;
}

/** A key as far as its requests are counted. */
export type CountedKey = Pick<ApiKey, 'lineage' | 'ancestors' | 'workspaceId'>;

/**
 * How often a key may ask. A request counts against the quota of the key's lineage, of every ancestor lineage and of the
 * workspace, over all processes and interfaces; it is granted only where each of them has room, and nothing is granted twice.
 */
export interface Limits {
  /** Takes one request. Never rejects: where the common count cannot be reached, the answer says so. */
  take(key: CountedKey): Promise<RateLimitDecision>;
}

/**
 * Rate limits for callers without a valid API key, by address (the /64 network of IPv6), in this process. A caller with a valid
 * key is never subject to them: many callers may share one address behind a proxy.
 */
export interface AddressThrottle {
  /**
   * Counts a request that failed authentication. Whole seconds until the address may fail again when it has failed too often;
   * null when it has not.
   */
  recordFailure(address: string | undefined): Promise<number | null>;
  /** Counts a request for a page that needs no key. Whole seconds to wait when there were too many; null when it may be served. */
  recordVisit(address: string | undefined): Promise<number | null>;
}
