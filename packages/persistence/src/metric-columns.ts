import { metricNames, metricSumNames } from '@switchboard/domain/analytics';
import { Prisma } from './generated/client.js';

/** The metrics that are summed over posts. */
export const countedMetrics = metricNames.filter((name) => name !== 'followers');

export const listed = (each: (name: string) => string, names: readonly string[] = countedMetrics) =>
  Prisma.raw(names.map(each).join(', '));

export const sums = listed((name) => `sum(${name})::float8 AS ${name}`, metricSumNames);

/** As `metric_sums` stores them. */
export const sumColumns = listed((name) => name, metricSumNames);

/** The metrics of which `metric_sums` stores the highest value of one delivery. */
export const rankedMetrics = [...countedMetrics, 'engagements', 'engagement_rate'];

export const maxColumns = listed((name) => `max_${name}`, rankedMetrics);

/** Of a row of `latest_metrics`. */
export const postMetrics = listed((name) => `${name}::float8 AS ${name}`);

/** Adds what is derived from the metrics of one row. */
export const derived = (rows: Prisma.Sql) => Prisma.sql`
  SELECT *, CASE WHEN engagements IS NOT NULL THEN impressions END AS rated_impressions,
    CASE WHEN impressions IS NOT NULL THEN engagements END AS rated_engagements
  FROM (
    SELECT *, CASE WHEN num_nonnulls(likes, comments, shares, saves) > 0
      THEN coalesce(likes, 0) + coalesce(comments, 0) + coalesce(shares, 0) + coalesce(saves, 0) END AS engagements
    FROM (${rows}) AS counted
  ) AS engaged`;

/** As a subquery, which is evaluated once: PostgreSQL parses the texts again for every row otherwise. */
export const startsOf = (intervals: readonly Date[]) =>
  Prisma.sql`(SELECT ${intervals.map((start) => start.toISOString())}::timestamptz[])`;

/** The index of the interval of a time, from 0; -1 without intervals. */
export const intervalOf = (column: string, intervals: readonly Date[]) =>
  Prisma.sql`width_bucket(${Prisma.raw(column)}, ${startsOf(intervals)}) - 1`;
