import { actorName, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import { learnPermissions } from '../connections/learn-permissions.js';
import type { ConnectionId } from '../ids.js';
import type { DayMetrics, PostSums, SummedPosts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { accountKeyOf } from './accounts.js';
import type { AnalyticsNote } from './analytics-note.js';
import type { DateRange } from './date-range.js';
import type { LiveMetricsPorts } from './fetch-metrics.js';
import { accountGroupKey, isAccountGroup, type GroupBy } from './groups.js';
import { addMetricSums, toMetricSums } from './metric-sums.js';
import type { SeriesInterval } from './series.js';

export type AccountDays = ReadonlyMap<ConnectionId, readonly DayMetrics[]>;

type DateSpan = Pick<DateRange, 'from' | 'to'>;

/** How long a report waits for the days: they are not stored, because the platform keeps them. */
const BUDGET_MS = 5_000;

/**
 * What accounts gained on the days of these ranges, live. An account that is connected several times is read once.
 * Each range is a request of its own, so that a platform that refuses an old one still reports the other.
 */
export async function readAccountDays(
  ports: LiveMetricsPorts,
  call: Call,
  connections: readonly Connection[],
  ranges: readonly DateSpan[],
): Promise<{ readonly days: AccountDays; readonly notes: readonly AnalyticsNote[] }> {
  const daily = connections.filter(
    ({ platform, status }) =>
      status !== 'needs_reauth' && ports.platforms.find(platform)?.analytics?.ofDays !== undefined,
  );
  const readable = [...Map.groupBy(daily, accountKeyOf).values()].flatMap(([first]) => first ?? []);
  if (readable.length === 0) return { days: new Map(), notes: [] };
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  const timedOut = ports.clock.sleep(BUDGET_MS, signal).then(() => 'out_of_time' as const);
  try {
    const read = await Promise.all(
      readable.flatMap((connection) =>
        ranges.map(async (range) => {
          const reading = fetchDays(ports, connection, range, actorName(call), signal);
          return { connection, outcome: await Promise.race([reading, timedOut]) };
        }),
      ),
    );
    const days = new Map<ConnectionId, readonly DayMetrics[]>();
    const notes = new Map<ConnectionId, AnalyticsNote>();
    for (const { connection, outcome } of read) {
      if (outcome !== 'out_of_time' && outcome.ok)
        days.set(connection.id, [...(days.get(connection.id) ?? []), ...outcome.value]);
      else notes.set(connection.id, describeMissingDays(connection.id, outcome));
    }
    return { days, notes: [...notes.values()] };
  } finally {
    stop.abort();
  }
}

async function fetchDays(
  ports: LiveMetricsPorts,
  connection: Connection,
  { from, to }: DateSpan,
  actor: string,
  signal: AbortSignal,
): Promise<Result<readonly DayMetrics[]>> {
  const { analytics, manifest } = ports.platforms.find(connection.platform) ?? {};
  if (!analytics?.ofDays || !manifest) return ok([]);
  const session = await ports.sessions.open(connection, { purpose: 'analytics', actor }, signal);
  if (!session.ok) return session;
  const read = await analytics.ofDays(session.value, { from, to });
  await learnPermissions(ports, manifest, connection, 'analytics', read.ok ? 'ok' : read.failure.code);
  return read;
}

const describeMissingDays = (
  connectionId: ConnectionId,
  outcome: Exclude<Result<unknown>, { readonly ok: true }> | 'out_of_time',
): AnalyticsNote =>
  outcome === 'out_of_time'
    ? {
        connectionId,
        code: 'analytics.out_of_time',
        message: 'The platform did not report its days in time. Repeat the request for them.',
      }
    : {
        connectionId,
        code: outcome.failure.code,
        message: `${outcome.failure.message} The days of this account are missing.`,
      };

/** Where the days of accounts belong in a report. */
interface DaysPlace {
  readonly connections: readonly Connection[];
  readonly range: DateRange;
  readonly intervals: readonly SeriesInterval[];
  readonly groupBy: GroupBy;
}

/** Adds the days within the range to the sums: to no group of posts, because they belong to no post. */
export function addAccountDays(
  summed: PostSums,
  days: AccountDays,
  { connections, range, intervals, groupBy }: DaysPlace,
): PostSums {
  if (days.size === 0) return summed;
  let { sums } = summed.total;
  const byConnection = new Map(summed.connections.map((one) => [one.connectionId, one]));
  const byInterval = new Map(summed.intervals);
  const byKey = new Map(summed.groups.items.map((group) => [group.key, group]));
  for (const connection of connections) {
    const within = daysWithin(days, connection.id, range);
    if (within.length === 0) continue;
    const own = addMetricSums(within.map(({ metrics }) => toMetricSums(metrics)));
    sums = addMetricSums([sums, own]);
    const known = byConnection.get(connection.id);
    byConnection.set(connection.id, {
      connectionId: connection.id,
      firstPublishedAt: known?.firstPublishedAt ?? range.startsAt,
      oldestSnapshotAt: known?.oldestSnapshotAt ?? null,
      sums: addMetricSums([...(known ? [known.sums] : []), own]),
    });
    addToIntervals(byInterval, within, intervals);
    if (!isAccountGroup(groupBy)) continue;
    const key = accountGroupKey(connection, groupBy);
    const group = byKey.get(key) ?? { key, postCount: 0, deliveryIds: [], sums: addMetricSums([]) };
    byKey.set(key, { ...group, sums: addMetricSums([group.sums, own]) });
  }
  return {
    total: { ...summed.total, sums },
    connections: [...byConnection.values()],
    intervals: byInterval,
    groups: isAccountGroup(groupBy) ? { ...summed.groups, items: [...byKey.values()] } : summed.groups,
  };
}

/** The same for the series of each group. */
export function addDaysToGroups(
  series: ReadonlyMap<string, ReadonlyMap<number, SummedPosts>>,
  days: AccountDays,
  { connections, range, intervals, groupBy }: DaysPlace,
): ReadonlyMap<string, ReadonlyMap<number, SummedPosts>> {
  if (days.size === 0 || !isAccountGroup(groupBy)) return series;
  const all = new Map([...series].map(([key, byInterval]) => [key, new Map(byInterval)]));
  for (const connection of connections) {
    const key = accountGroupKey(connection, groupBy);
    const byInterval = all.get(key) ?? new Map<number, SummedPosts>();
    addToIntervals(byInterval, daysWithin(days, connection.id, range), intervals);
    all.set(key, byInterval);
  }
  return all;
}

/** A day of the account is the day of the report with the same date. */
const daysWithin = (days: AccountDays, id: ConnectionId, { from, to }: DateSpan): readonly DayMetrics[] =>
  (days.get(id) ?? []).filter(({ date }) => date >= from && date <= to);

function addToIntervals(
  byInterval: Map<number, SummedPosts>,
  days: readonly DayMetrics[],
  intervals: readonly SeriesInterval[],
): void {
  for (const { date, metrics } of days) {
    const index = intervals.findLastIndex((interval) => interval.date <= date);
    if (index < 0) continue;
    const { postCount = 0, sums = addMetricSums([]) } = byInterval.get(index) ?? {};
    byInterval.set(index, { postCount, sums: addMetricSums([sums, toMetricSums(metrics)]) });
  }
}
