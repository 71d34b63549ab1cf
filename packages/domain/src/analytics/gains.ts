import { metricNames, noMetrics, type MetricName, type Metrics } from './metrics.js';

export interface Reading {
  readonly takenAt: Date;
  readonly metrics: Metrics;
}

/** What was gained since the previous reading. It belongs to the time of the later one. */
interface Gain {
  readonly at: Date;
  readonly metrics: Metrics;
}

export interface Gains {
  readonly gains: readonly Gain[];
  /** A counter decreased: reactions were deleted, or the platform corrected it. */
  readonly hasDecreased: boolean;
  /** The first reading in the range has no usable earlier one: what was gained before it is unknown. */
  readonly lacksBaseline: boolean;
}

/**
 * Readings further apart than this are not compared when the earlier one lies before the range: what was
 * gained between them belongs mostly to the time before it.
 */
export const BASELINE_DAYS = 8;
/** Counters that add up to this at least do not all become 0 at once: such a reading is a reset, and is ignored. */
export const RESET_FROM = 10;
const BASELINE_MS = BASELINE_DAYS * 86_400_000;

/**
 * The differences of consecutive readings of one post or account in [from, to), for each metric the readings
 * that contain it. A post begins at 0 when it is published. Readings before `from` by more than
 * `BASELINE_DAYS` are not needed.
 */
export function computeGains(
  readings: readonly Reading[],
  publishedAt: Date | null,
  { from, to }: { readonly from: Date; readonly to: Date },
): Gains {
  const since = new Date(from.getTime() - BASELINE_MS);
  const beginsAtZero = publishedAt !== null && publishedAt >= since;
  const usable = omitResets(
    readings
      .filter(({ takenAt }) => takenAt >= since && takenAt < to)
      .sort((a, b) => a.takenAt.getTime() - b.takenAt.getTime()),
    beginsAtZero,
  );
  const byTime = new Map<number, Partial<Record<MetricName, number>>>();
  let hasDecreased = false;
  let lacksBaseline = false;
  for (const name of metricNames) {
    const points = usable.flatMap(({ takenAt, metrics }) => {
      const value = metrics[name];
      return value === null ? [] : [{ at: takenAt, value }];
    });
    const [first] = points;
    if (beginsAtZero && first) {
      points.unshift({ at: publishedAt < first.at ? publishedAt : first.at, value: 0 });
    }
    for (const [index, { at, value }] of points.entries()) {
      const previous = points[index - 1];
      if (at < from || (index === 0 && beginsAtZero)) continue;
      const isUsable =
        previous !== undefined &&
        (previous.at >= from || at.getTime() - previous.at.getTime() <= BASELINE_MS);
      if (!isUsable) {
        lacksBaseline = true;
        continue;
      }
      const gained = value - previous.value;
      if (gained < 0) hasDecreased = true;
      const row = byTime.get(at.getTime()) ?? {};
      row[name] = gained;
      byTime.set(at.getTime(), row);
    }
  }
  const gains = [...byTime]
    .sort(([a], [b]) => a - b)
    .map(([at, metrics]) => ({ at: new Date(at), metrics: { ...noMetrics, ...metrics } }));
  return { gains, hasDecreased, lacksBaseline };
}

/**
 * Without those in which every counter fell to 0 from a considerable sum. Zeros before a first considerable sum may
 * be such a reset as well, unless the post was published in that time.
 */
function omitResets(readings: readonly Reading[], beginsAtZero: boolean): readonly Reading[] {
  const totals = readings.map(({ metrics }) =>
    metricNames.reduce((sum, name) => sum + Math.abs(metrics[name] ?? 0), 0),
  );
  let lastTotal = beginsAtZero ? 0 : (totals.find((total) => total > 0) ?? 0);
  return readings.filter((_reading, index) => {
    const total = totals[index] ?? 0;
    if (total > 0) lastTotal = total;
    return total > 0 || lastTotal < RESET_FROM;
  });
}
