import { joinNames } from '@switchboard/domain';
import {
  analyticsMetricNames,
  type AnalyticsMetricName,
  type MissingReason,
} from '@switchboard/domain/analytics';
import type { z } from 'zod';
import type { SentenceNames } from '../define.js';
import { formatCount } from '../format-count.js';
import type { analyticsShape } from './analytics-shape.js';

type AnalyticsSummary = Pick<
  z.output<typeof analyticsShape>,
  'range' | 'basis' | 'post_count' | 'totals' | 'change' | 'coverage' | 'notes' | 'next_cursor'
>;

/** "1,204 impressions and 56 likes over 12 posts …; Bluesky does not provide clicks." */
export function analyticsSentence(
  { range, basis, post_count, totals, change, coverage, notes, next_cursor }: AnalyticsSummary,
  { platformName }: SentenceNames,
): string {
  const isActivity = basis === 'activity';
  const named = countMetricNames
    .filter((name) => !isActivity || name !== 'followers')
    .flatMap((name) => {
      const value = totals[name] ?? null;
      return value === null ? [] : [describeMetric(name, value, change?.[name]?.percent ?? null)];
    })
    .slice(0, MAX_NAMED);
  const days = `from ${range.from} to ${range.to}`;
  const numbers = named.length === 0 ? 'No metrics are available' : joinNames(named);
  const parts = [
    post_count > 0
      ? `${numbers}${isActivity && named.length > 0 ? ' gained' : ''} over ${formatCount(post_count, 'post')} ${days}`
      : `${isActivity ? 'No activity of posts is known' : 'No posts were published'} ${days}${named.length > 0 ? `; ${joinNames(named)}` : ''}`,
    ...(isActivity ? describeFollowers(totals) : []),
    ...describeGaps(coverage, platformName),
  ];
  const isUnconnected = ({ code }: AnalyticsSummary['notes'][number]) => code === 'analytics.not_connected';
  if (isEmptyReport(post_count, coverage)) {
    const unconnected = notes.filter(isUnconnected).map(({ message }) => message.replace(/\.$/, ''));
    if (unconnected.length > 0) parts.splice(0, parts.length, ...unconnected);
  }
  const others = notes.filter((note) => !isUnconnected(note)).length;
  if (others > 0) parts.push(`${formatCount(others, 'note')} on missing or outdated data`);
  if (next_cursor !== null) parts.push('more groups follow');
  return `${parts.join('; ')}.`;
}

/** Nothing that the report covers is connected. */
const isEmptyReport = (postCount: number, coverage: AnalyticsSummary['coverage']): boolean =>
  postCount === 0 &&
  Object.values(coverage).every(
    ({ platforms, reasons }) =>
      platforms.length === 0 && Object.values(reasons).every((reason) => reason === 'not_connected'),
  );

const gapTexts: Readonly<Record<Exclude<MissingReason, 'not_provided'>, (platforms: string) => string>> = {
  not_connected: (platforms) => `not connected: ${platforms}`,
  needs_reauth: (platforms) => `to be reconnected: ${platforms}`,
  permission_missing: (platforms) => `without permission to read metrics: ${platforms}`,
  no_baseline: (platforms) => `without earlier snapshots: ${platforms}`,
  too_new: (platforms) => `posts too new for metrics: ${platforms}`,
  not_read: (platforms) => `could not be read: ${platforms}`,
};

const MAX_LIMITED_PLATFORMS = 3;

/** Why platforms are missing from metrics: each reason once, with the metrics that a platform never provides. */
function describeGaps(
  coverage: AnalyticsSummary['coverage'],
  platformName: SentenceNames['platformName'],
): readonly string[] {
  const gaps = countMetricNames.flatMap((metric) =>
    Object.entries(coverage[metric]?.reasons ?? {}).map(([id, reason]) => ({
      metric,
      platform: platformName(id),
      reason,
    })),
  );
  const accountGaps = Object.entries(gapTexts).flatMap(([reason, describe]) => {
    const platforms = new Set(gaps.filter((gap) => gap.reason === reason).map(({ platform }) => platform));
    return platforms.size === 0 ? [] : [describe(joinNames([...platforms]))];
  });
  const limited = Map.groupBy(
    gaps.filter(({ reason }) => reason === 'not_provided'),
    ({ platform }) => platform,
  );
  const limits =
    limited.size > MAX_LIMITED_PLATFORMS
      ? [`${limited.size} platforms do not provide every metric, see coverage`]
      : [...limited].map(
          ([platform, missing]) =>
            `${platform} does not provide ${joinNames(missing.map(({ metric }) => metric))}`,
        );
  return [...accountGaps, ...limits];
}

/** "1,204 followers (-3)". */
function describeFollowers(totals: AnalyticsSummary['totals']): readonly string[] {
  const { followers = null, followers_gained: gained = null } = totals;
  if (followers === null) return [];
  const change = gained === null ? '' : ` (${gained > 0 ? '+' : ''}${gained.toLocaleString('en-US')})`;
  return [`${followers.toLocaleString('en-US')} followers${change}`];
}

/** "56 likes", or "56 likes (+12%)" where it is compared. */
function describeMetric(name: AnalyticsMetricName, value: number, percent: number | null): string {
  const count = `${value.toLocaleString('en-US')} ${name}`;
  return percent === null ? count : `${count} (${percent > 0 ? '+' : ''}${Math.round(percent)}%)`;
}

const MAX_NAMED = 3;
const countMetricNames = analyticsMetricNames.filter(
  (name) => name !== 'engagement_rate' && name !== 'followers_gained',
);
