import { analyticsMetricNames } from '@switchboard/domain/analytics';
import type { z } from 'zod';
import { toCsv } from '../to-csv.js';
import type { analyticsShape } from './analytics-shape.js';

/** The series of a report where it has one, else its groups, with the names of the JSON as header. */
export function analyticsCsv({ groups, series, totals }: z.output<typeof analyticsShape>): string {
  const metrics = analyticsMetricNames.filter((name) => name in totals);
  const cellsOf = (values: (typeof groups)[number]['metrics']) =>
    Object.fromEntries(metrics.map((name) => [name, values[name] ?? null]));
  if (series.length > 0) {
    return toCsv(
      ['date', 'post_count', ...metrics],
      series.map(({ date, post_count, metrics: values }) => ({ ...cellsOf(values), date, post_count })),
    );
  }
  return toCsv(
    [
      'key',
      'platform',
      'connection_id',
      'post.id',
      'post.text',
      'post.published_at',
      'post_count',
      ...metrics,
    ],
    groups.map(({ key, platform = null, connection_id = null, post, post_count, metrics: values }) => ({
      ...cellsOf(values),
      key,
      platform,
      connection_id,
      'post.id': post?.id ?? null,
      'post.text': post?.text ?? null,
      'post.published_at': post?.published_at ?? null,
      post_count,
    })),
  );
}
