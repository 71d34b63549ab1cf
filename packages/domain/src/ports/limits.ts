import type { ApiKey } from '../access/api-key.js';

/**
 * The request quotas: `key` is the quota of the key's lineage or of one of its ancestors, whichever has the
 * least remaining, and `workspace` that of all keys of the workspace together.
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

export interface RateLimitDecision {
  /** The quota that rejected the request; null when it was accepted. */
  readonly exhausted: QuotaState | null;
  /** The quotas that were checked: for a rejected request only the exhausted one. */
  readonly quotas: readonly QuotaState[];
  /** False while the shared counter is unavailable, and this process counts for itself. */
  readonly isShared: boolean;
}

/** The attributes of a key by which its requests are counted. */
export type CountedKey = Pick<ApiKey, 'lineage' | 'ancestors' | 'workspaceId'>;

/**
 * Request rate limits of keys. A request counts against the quota of the key's lineage, of every ancestor
 * lineage and of the workspace, over all processes and interfaces; it is accepted only if each of them has
 * room.
 */
export interface Limits {
  /** Counts one request. Never rejects: the result reports when the shared counter is unavailable. */
  take(key: CountedKey): Promise<RateLimitDecision>;
}

/**
 * Rate limits for callers without a valid API key, by address (the /64 network of IPv6), in this process. A
 * caller with a valid key is never subject to them: many callers may share one address behind a proxy.
 */
export interface AddressThrottle {
  /**
   * Counts a request that failed authentication. Returns the whole seconds until the address may retry after
   * too many failures; otherwise null.
   */
  recordFailure(address: string | undefined): Promise<number | null>;
  /**
   * Counts a request for a page that needs no key. Returns the whole seconds to wait after too many;
   * otherwise null.
   */
  recordVisit(address: string | undefined): Promise<number | null>;
  /**
   * Counts the start of an OAuth sign-in of an MCP client, which is stored. Returns the whole seconds to wait
   * after too many; otherwise null.
   */
  recordSignIn(address: string | undefined): Promise<number | null>;
  /**
   * Counts a registration of an OAuth client, or the fetch of an unknown client's metadata document. Returns
   * the whole seconds to wait after too many; otherwise null.
   */
  recordRegistration(address: string | undefined): Promise<number | null>;
}
