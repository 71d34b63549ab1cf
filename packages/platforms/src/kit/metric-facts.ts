import type { MetricFact } from '@switchboard/domain';

/** Facts about numbers of posts, which the platform counts within so many hours. */
export const postMetrics =
  (lagHours = 0) =>
  (metric: MetricFact['metric'], nativeName: string, definition: string): MetricFact => ({
    metric,
    nativeName,
    definition,
    lagHours,
    subject: 'post',
  });

/** What the platform calls the number of accounts that follow this one. */
export const followersMetric = (nativeName: string, lagHours = 0): MetricFact => ({
  metric: 'followers',
  nativeName,
  definition: 'How many accounts follow the account.',
  lagHours,
  subject: 'account',
});
