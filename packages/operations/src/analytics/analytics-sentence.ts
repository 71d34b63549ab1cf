import { analyticsMetricNames } from '@switchboard/domain/analytics';
import type { z } from 'zod';
import { formatCount } from '../format-count.js';
import type { analyticsShape } from './analytics-shape.js';

type AnalyticsSummary = Pick<
  z.output<typeof analyticsShape>,
  'range' | 'post_count' | 'totals' | 'coverage' | 'notes' | 'next_cursor'
>;

/** "1,204 impressions and 56 likes over 12 posts; clicks are known for sandbox_social only." */
export function analyticsSentence({
  range,
  post_count,
  totals,
  coverage,
  notes,
  next_cursor,
}: AnalyticsSummary): string {
  const named = countMetricNames
    .flatMap((name) => {
      const value = totals[name] ?? null;
      return value === null ? [] : [`${value.toLocaleString('en-US')} ${name}`];
    })
    .slice(0, MAX_NAMED);
  const days = `from ${range.from} to ${range.to}`;
  const numbers = named.length === 0 ? 'No metrics are available' : joinNames(named);
  const parts = [
    post_count > 0
      ? `${numbers} over ${formatCount(post_count, 'post')} ${days}`
      : `No posts were published ${days}${named.length > 0 ? `; ${joinNames(named)}` : ''}`,
    ...describePartialCoverage(coverage),
  ];
  if (notes.length > 0) parts.push(`${formatCount(notes.length, 'note')} on missing or outdated data`);
  if (next_cursor !== null) parts.push('more groups follow');
  return `${parts.join('; ')}.`;
}

/** The metrics that only some platforms report, grouped by the platforms that share them. */
function describePartialCoverage(coverage: AnalyticsSummary['coverage']): readonly string[] {
  const names = new Map<string, string[]>();
  for (const name of countMetricNames) {
    const { platforms = [], missing = [] } = coverage[name] ?? {};
    if (platforms.length === 0 || missing.length === 0) continue;
    const key = joinNames(platforms);
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  return [...names].map(([platforms, some]) => `${joinNames(some)} are available for ${platforms} only`);
}

const MAX_NAMED = 3;
const countMetricNames = analyticsMetricNames.filter((name) => name !== 'engagement_rate');

const joinNames = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
