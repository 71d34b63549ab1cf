/** The unified metrics. A metric that a platform does not report is null, never 0. */
export const metricNames = [
  'impressions',
  'reach',
  'views',
  'likes',
  'comments',
  'shares',
  'saves',
  'clicks',
  'followers',
] as const;

export type MetricName = (typeof metricNames)[number];
export type Metrics = Readonly<Record<MetricName, number | null>>;

export const noMetrics: Metrics = Object.fromEntries(metricNames.map((name) => [name, null])) as Metrics;

/** The metrics that a caller can request: those that platforms report, and those derived from them. */
export const analyticsMetricNames = [
  ...metricNames,
  'followers_gained',
  'engagements',
  'engagement_rate',
] as const;

export type AnalyticsMetricName = (typeof analyticsMetricNames)[number];
export type AnalyticsMetrics = Readonly<Record<AnalyticsMetricName, number | null>>;

/** The metrics of accounts; all others are metrics of posts. */
export const accountMetricNames = ['followers', 'followers_gained'] as const;
export type AccountMetricName = (typeof accountMetricNames)[number];
export type AccountMetrics = Readonly<Record<AccountMetricName, number | null>>;

export const isAccountMetric = (name: AnalyticsMetricName): name is AccountMetricName =>
  name === 'followers' || name === 'followers_gained';
