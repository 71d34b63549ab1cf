import type { Clock } from './clock.js';
import type { Faults } from './faults.js';
import type { FileStore } from './files.js';
import type { Journal } from './journal.js';
import type { Ledger } from './ledger.js';
import type { ClientRegistry } from './oauth/client.js';
import type { RequestLog } from './request-log.js';
import type { SettingsStore } from './settings.js';

export type PlatformName = 'social' | 'store';
export const PLATFORM_NAMES: readonly PlatformName[] = ['social', 'store'];

/** The shared state of one running sandbox. */
export interface World {
  readonly seed: number;
  /** The start of the UTC day on which this sandbox's state was created; seeded history is older. */
  readonly epoch: Date;
  readonly ordersOfEachShop?: number | undefined;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly files: FileStore;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly settings: SettingsStore;
  readonly clients: ClientRegistry;
  readonly redirectUris: readonly string[];
  /** Aborted by `close()`, so that a delayed request has no effect after it. */
  readonly stopping: AbortSignal;
  origin(): string;
}
