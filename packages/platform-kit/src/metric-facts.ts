import type { MetricDefinition } from '@switchboard/domain/ports';

/** Facts about post metrics, which the platform updates within the given number of hours. */
export const postMetrics =
  (lagHours = 0) =>
  (metric: MetricDefinition['metric'], nativeName: string, definition: string): MetricDefinition => ({
    metric,
    nativeName,
    definition,
    lagHours,
    subject: 'post',
  });

/** The platform's name for the number of followers of the account. */
export const followersMetric = (nativeName: string, lagHours = 0): MetricDefinition => ({
  metric: 'followers',
  nativeName,
  definition: 'How many accounts follow the account.',
  lagHours,
  subject: 'account',
});

/** What the account gains on a day, which only reports about gains include (`basis=activity`). */
export const dayMetric = (
  metric: MetricDefinition['metric'],
  nativeName: string,
  definition: string,
  lagHours: number,
): MetricDefinition => ({
  metric,
  nativeName,
  definition: `${definition} By day: in analytics with basis=activity.`,
  lagHours,
  subject: 'account',
});
