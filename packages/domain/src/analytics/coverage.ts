import type { Connection } from '../connections/connection.js';
import { missingPermissions } from '../connections/connection-health.js';
import { permissionsOf } from '../connections/permissions-of.js';
import type { Manifest, MetricDefinition } from '../ports/manifest.js';
import type { AnalyticsNote } from './analytics-note.js';
import type { AnalyticsBasis, SummedConnection } from '../ports/index.js';
import { sumAccounts, type AccountHistory } from './accounts.js';
import { addMetricSums, toAnalyticsMetrics } from './metric-sums.js';
import { isAccountMetric, type AnalyticsMetricName, type MetricName } from './metrics.js';

/**
 * Why a platform contributes nothing to a metric, most actionable first: no account of it is connected, its
 * login has expired, a permission is missing, it does not report the metric at all, all posts are younger than
 * its delay, no earlier snapshot exists to compare with, or the metric could not be read (a note may explain it).
 */
export const missingReasons = [
  'not_connected',
  'needs_reauth',
  'permission_missing',
  'not_provided',
  'too_new',
  'no_baseline',
  'not_read',
] as const;

export type MissingReason = (typeof missingReasons)[number];

/** The platforms that contribute to a metric, those that do not, and why each of these does not. */
interface MetricCoverage {
  readonly platforms: readonly string[];
  readonly missing: readonly string[];
  readonly reasons: Readonly<Record<string, MissingReason>>;
}

export type Coverage = Readonly<Partial<Record<AnalyticsMetricName, MetricCoverage>>>;

/** What is known about the accounts of a report. */
export interface CoverageFacts {
  readonly now: Date;
  readonly connections: readonly Connection[];
  /** The platforms that the caller named. */
  readonly requestedPlatforms: readonly string[];
  readonly manifests: { readonly find: (id: string) => Manifest | null };
  readonly notes: readonly AnalyticsNote[];
  readonly basis: AnalyticsBasis;
}

/** The sums by connection, and the accounts, of a report. */
interface CoveredNumbers {
  readonly summed: readonly SummedConnection[];
  readonly accounts: readonly AccountHistory[];
  readonly period: { readonly from: Date; readonly to: Date };
}

/**
 * A platform without a post in the range is not missing, except where the metric belongs to its accounts, and
 * where no account of it is connected although the caller named it.
 */
export function computeCoverage(
  numbers: CoveredNumbers,
  names: readonly AnalyticsMetricName[],
  facts: CoverageFacts,
): Coverage {
  const accounts = Map.groupBy(numbers.accounts, ({ connection }) => connection.platform);
  const summed = new Map(numbers.summed.map((sums) => [sums.connectionId, sums]));
  const platforms = [...accounts].map(([id, histories]) => {
    const posts = histories.flatMap(({ connection }) => summed.get(connection.id) ?? []);
    const sums = addMetricSums(posts.map((each) => each.sums));
    return {
      id,
      posts,
      metrics: toAnalyticsMetrics(sums, sumAccounts(histories, numbers.period)),
    };
  });
  platforms.sort((a, b) => (a.id < b.id ? -1 : 1));
  const unconnected = findUnconnected(facts);
  return Object.fromEntries(
    names.map((name) => {
      const expected = platforms.filter(
        ({ id, posts }) => isAccountMetric(name) || posts.length > 0 || hasDays(id, name, facts),
      );
      const keys = (known: boolean) =>
        expected.filter(({ metrics }) => (metrics[name] !== null) === known).map(({ id }) => id);
      const missing = [...new Set([...keys(false), ...unconnected])].sort();
      const reasons = missing.map((id) => {
        const posts = platforms.find((platform) => platform.id === id)?.posts ?? [];
        return [id, findReason(id, name, posts, facts)] as const;
      });
      return [name, { platforms: keys(true), missing, reasons: Object.fromEntries(reasons) }];
    }),
  );
}

/** Whether the platform reports this metric of its accounts by day, which only gains include. */
const hasDays = (
  id: string,
  name: AnalyticsMetricName,
  { basis, manifests }: Pick<CoverageFacts, 'basis' | 'manifests'>,
): boolean =>
  basis === 'activity' &&
  !isAccountMetric(name) &&
  (manifests.find(id)?.metrics ?? []).some(({ metric, subject }) => subject === 'account' && metric === name);

/** The platforms that the caller named and that have no connected account. */
export const findUnconnected = ({
  connections,
  requestedPlatforms,
}: Pick<CoverageFacts, 'connections' | 'requestedPlatforms'>): readonly string[] =>
  requestedPlatforms.filter((id) => !connections.some(({ platform }) => platform === id));

/** The permissions for reading metrics that the account lacks; unknown ones count as granted. */
export function findMissingAnalyticsPermissions(
  manifest: Manifest,
  connection: Connection,
): readonly string[] {
  const required = permissionsOf(manifest, connection.connectMethod).analytics ?? [];
  return missingPermissions(manifest, connection).filter(
    (permission) => required.includes(permission) || permission === 'analytics',
  );
}

function findReason(
  id: string,
  name: AnalyticsMetricName,
  posts: readonly SummedConnection[],
  { connections, manifests, notes, now, basis }: CoverageFacts,
): MissingReason {
  const accounts = connections.filter(({ platform }) => platform === id);
  if (accounts.length === 0) return 'not_connected';
  const manifest = manifests.find(id);
  const definitions = manifest?.metrics ?? [];
  if (!isProvided(name, definitions) && !hasDays(id, name, { basis, manifests })) return 'not_provided';
  if (accounts.some(({ status }) => status === 'needs_reauth')) return 'needs_reauth';
  const noted = notes.filter((note) => accounts.some((account) => account.id === note.connectionId));
  const lacksPermission =
    noted.some(({ code }) => code === 'platform.permission_missing') ||
    accounts.some((account) => manifest && findMissingAnalyticsPermissions(manifest, account).length > 0);
  if (lacksPermission) return 'permission_missing';
  if (noted.length > 0 || name === 'followers') return 'not_read';
  if (name === 'followers_gained') return 'no_baseline';
  const lagMs = Math.max(0, ...componentsOf(name, definitions).map(({ lagHours }) => lagHours)) * HOUR_MS;
  const isTooNew = posts.every(({ firstPublishedAt }) => now.getTime() - firstPublishedAt.getTime() < lagMs);
  if (isTooNew) return 'too_new';
  return basis === 'activity' ? 'no_baseline' : 'not_read';
}

const HOUR_MS = 3_600_000;
const engagementMetrics: readonly MetricName[] = ['likes', 'comments', 'shares', 'saves'];

/** The definitions of the metrics from which this one is computed. */
const componentsOf = (name: AnalyticsMetricName, definitions: readonly MetricDefinition[]) =>
  definitions.filter(({ metric, subject }) => {
    if ((subject === 'account') !== isAccountMetric(name)) return false;
    if (name === 'followers_gained') return metric === 'followers';
    if (name === 'engagements') return engagementMetrics.includes(metric);
    if (name === 'engagement_rate') return metric === 'impressions' || engagementMetrics.includes(metric);
    return metric === name;
  });

function isProvided(name: AnalyticsMetricName, definitions: readonly MetricDefinition[]): boolean {
  const components = componentsOf(name, definitions);
  if (name !== 'engagement_rate') return components.length > 0;
  return (
    components.some(({ metric }) => metric === 'impressions') &&
    components.some(({ metric }) => metric !== 'impressions')
  );
}
