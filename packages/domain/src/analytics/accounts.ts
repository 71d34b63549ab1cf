import type { Connection } from '../connections/connection.js';
import type { Snapshot } from '../ports/index.js';
import { computeGains, type Gains } from './gains.js';
import { noAccountMetrics, sumKnown } from './metric-sums.js';
import type { AccountMetrics } from './metrics.js';

/** What the snapshots of one account say about a range. */
export interface AccountHistory extends Gains {
  readonly connection: Connection;
  /** Those that contain the followers, ascending, from before the range until its end. */
  readonly snapshots: readonly Snapshot[];
}

interface Period {
  readonly from: Date;
  readonly to: Date;
}

export function readAccountHistory(
  connection: Connection,
  all: readonly Snapshot[],
  period: Period,
): AccountHistory {
  const snapshots = all.filter(({ metrics }) => metrics.followers !== null);
  return { connection, snapshots, ...computeGains(snapshots, null, period) };
}

/** Equal for connections of the same account. */
export const accountKeyOf = ({ platform, accountServer, account }: Connection): string =>
  JSON.stringify([platform, accountServer, account.id]);

/**
 * The followers at the end of a period within the range, and those gained in it. An account that is connected in
 * several profiles counts once, by the connection about which most is known.
 */
export function sumAccounts(accounts: readonly AccountHistory[], { from, to }: Period): AccountMetrics {
  const same = Map.groupBy(accounts, ({ connection }) => accountKeyOf(connection));
  const each = [...same.values()].flatMap(
    (histories) => histories.toSorted((a, b) => b.snapshots.length - a.snapshots.length)[0] ?? [],
  );
  if (each.length === 0) return noAccountMetrics;
  return {
    followers: sumKnown(
      each.map(
        ({ snapshots }) => snapshots.findLast(({ takenAt }) => takenAt < to)?.metrics.followers ?? null,
      ),
    ),
    followers_gained: sumKnown(
      each.flatMap(({ gains }) =>
        gains.filter(({ at }) => at >= from && at < to).map(({ metrics }) => metrics.followers),
      ),
    ),
  };
}
