import type { RemoteAccount } from '@switchboard/domain';

/**
 * A platform that runs somewhere on this machine, with one connected account: a real server, or a simulator that keeps a
 * ledger of effects and can break on command. What the contract needs to know besides what an adapter sees.
 */
export interface World {
  /** Origin of the account's server. */
  readonly baseUrl: string;
  readonly account: RemoteAccount;
  /** A token with every permission that the manifest names. */
  readonly token: string;
  /** One that was good once. */
  readonly expiredToken: string;
  /** One whose owner allowed nothing but to be recognised. */
  readonly weakToken: string;
  /** Breaks the next request, once. */
  break(how: Breakage): void;
  /** Takes back what was ordered with `break` and did not happen. */
  mend(): void;
  /** How many requests have arrived. */
  requests(): number;
  /** How many posts, or refunds, have ever been made. */
  effects(): number;
  /** What stands in a published post. Where nothing is published it is never called. */
  textOf(externalId: string): Promise<string>;
  close(): Promise<void>;
}

/** `before` and `after` speak of the effect, which is what a caller cannot see. */
export type Breakage =
  | '429'
  | '500-before'
  | '500-after'
  | 'reset-before-effect'
  | 'reset-after-effect'
  | '2xx-truncated'
  | '2xx-no-id'
  | 'garbage'
  | 'redirect'
  | 'hang';
