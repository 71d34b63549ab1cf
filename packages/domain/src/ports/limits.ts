import type { ApiKey } from '../access/api-key.js';

/** What a key's family may still ask in the window that runs, as far as this process knows. */
export interface Allowance {
  readonly quota: number;
  readonly windowSeconds: number;
  /** After this request. */
  readonly remaining: number;
  /** Whole seconds until the window is over; at least 1. */
  readonly resetSeconds: number;
  readonly verdict: 'granted' | 'exhausted';
  /** False while the count that all processes share cannot be reached, and this one counts for itself. */
  readonly isShared: boolean;
}

/** How often a key may ask. All keys of a lineage share one quota, over all processes; nothing is granted twice. */
export interface Limits {
  /** Takes one request. Never rejects: where the common count is away, the answer says so. */
  take(key: Pick<ApiKey, 'lineage' | 'workspaceId'>): Promise<Allowance>;
}

/** Keeps those at a distance whom nobody knows, by their address (the network of 64 bits for IPv6), in this process. */
export interface Strangers {
  /**
   * How many seconds an address has to wait before it may present a key, because too many that it presented were of no use;
   * null when it need not. A key that was good here within the hour need never wait: who shares an address with a
   * careless neighbour is still served.
   */
  mustWait(address: string | undefined, publicId: string | null): Promise<number | null>;
  /** What was presented is no key, or one that is of no use any more. */
  turnedAway(address: string | undefined, publicId: string | null): Promise<void>;
  /** The key is good. */
  welcomed(publicId: string): void;
  /** Somebody without a key looks at a page. How many seconds to wait first; null when there is no need. */
  visited(address: string | undefined): Promise<number | null>;
}
