import type { MetricDefinition } from '@switchboard/domain';

/** Facts about numbers of posts, which the platform counts within so many hours. */
export const postMetrics =
  (lagHours = 0) =>
  (metric: MetricDefinition['metric'], nativeName: string, definition: string): MetricDefinition => ({
    metric,
    nativeName,
    definition,
    lagHours,
    subject: 'post',
  });

/** What the platform calls the number of accounts that follow this one. */
export const followersMetric = (nativeName: string, lagHours = 0): MetricDefinition => ({
  metric: 'followers',
  nativeName,
  definition: 'How many accounts follow the account.',
  lagHours,
  subject: 'account',
});
