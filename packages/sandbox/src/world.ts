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
  /** Twelve hexadecimal digits, part of every code and token. */
  readonly installation: string;
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

/** The sandbox's own time: the given clock plus an offset. The offset survives a restart. */
export function adjustableClock(base: () => Date, journal: Journal) {
  const offsets = journal.collection<number>('clock');
  const offsetMs = () => offsets.get('offset_ms') ?? 0;
  return {
    now: () => new Date(base().getTime() + offsetMs()),
    advanceSeconds: (seconds: number) => offsets.set('offset_ms', offsetMs() + Math.round(seconds * 1000)),
    set: (now: Date) => offsets.set('offset_ms', now.getTime() - base().getTime()),
    reset: () => offsets.delete('offset_ms'),
  };
}
type Clock = ReturnType<typeof adjustableClock>;

/** The owner of an account on a sandbox platform: a person, a brand or a shop. */
export interface Account {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly about: string;
  /** Two colors of the profile image, as `hsl` hues. */
  readonly hues: readonly [number, number];
  readonly createdAt: string;
}

export function avatarUrl(origin: string, platform: string, account: Account): string {
  return `${origin}/${platform}/avatars/${account.id}.svg`;
}
