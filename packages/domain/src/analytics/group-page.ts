import type { PageRequest, Rows } from '../page.js';
import type { AnalyticsGroup } from './groups.js';
import type { AnalyticsMetricName } from './metrics.js';

/** By key ascending, or by a metric descending; unknown values come last. */
export type GroupSort = 'key' | `-${AnalyticsMetricName}`;

interface GroupPosition {
  readonly value: number | null;
  readonly key: string;
}

/**
 * The groups after a position. Metrics change between two pages; the position holds a value and a key, so the
 * list continues from there.
 */
export function pageGroups(
  groups: readonly AnalyticsGroup[],
  sort: GroupSort,
  { limit, after }: PageRequest,
): Rows<AnalyticsGroup> {
  const start = after === undefined ? null : (JSON.parse(after) as GroupPosition);
  const rest = groups
    .map((group) => ({ group, at: positionOf(group, sort) }))
    .filter(({ at }) => start === null || comparePositions(start, at) < 0)
    .sort((a, b) => comparePositions(a.at, b.at));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ group }) => group),
    next: last && rest.length > limit ? JSON.stringify(last.at) : undefined,
  };
}

export const sortMetric = (sort: GroupSort): AnalyticsMetricName | null =>
  sort === 'key' ? null : (sort.slice(1) as AnalyticsMetricName);

function positionOf({ key, metrics }: AnalyticsGroup, sort: GroupSort): GroupPosition {
  const metric = sortMetric(sort);
  return { value: metric && metrics[metric], key };
}

function comparePositions(a: GroupPosition, b: GroupPosition): number {
  const byValue = (b.value ?? -Infinity) - (a.value ?? -Infinity);
  if (byValue > 0 || byValue < 0) return byValue;
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}
