import { analyticsMetricNames } from '@switchboard/domain/analytics';
import type { z } from 'zod';
import { toCsv, type CsvCell } from '../to-csv.js';
import { truncateText } from '../truncate-text.js';
import type { analyticsShape } from './analytics-shape.js';

type Analytics = z.output<typeof analyticsShape>;
interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, CsvCell>>[];
}

/** The series of a report where it has one, else its groups, with the names of the JSON as header. */
export function analyticsCsv(report: Analytics): string {
  const { columns, rows } = report.series.length > 0 ? tabulateSeries(report) : tabulateGroups(report);
  return toCsv(columns, rows);
}

/** The length of the text excerpt that identifies a post in a list. */
const BRIEF_CHARACTERS = 120;

/**
 * The same report with its groups and series as tables, which name every column once, and each post by its excerpt
 * and first URL. Coverage names the metrics and platforms of each reason; what a platform does not provide is a null in
 * its row, and named only where the page has no row of the platform.
 */
export function compactAnalytics({ coverage, notes, next_cursor, ...report }: Analytics) {
  const { columns, rows } = tabulateGroups(report);
  const briefRows = rows.map((row, index) => {
    const post = report.groups[index]?.post;
    if (!post) return row;
    const text = truncateText(post.text, BRIEF_CHARACTERS);
    return { ...row, 'post.text': text, 'post.url': post.urls[0] ?? null };
  });
  const platforms = new Set(report.groups.map(({ platform }) => platform));
  const gaps = Object.entries(coverage).flatMap(([metric, { reasons }]) =>
    Object.entries(reasons).map(([platform, reason]) => ({ metric, platform, reason })),
  );
  const gapsByReason = Map.groupBy(
    gaps.filter(({ reason, platform }) => reason !== 'not_provided' || !platforms.has(platform)),
    ({ reason }) => reason,
  );
  return {
    ...report,
    coverage: Object.fromEntries(
      [...gapsByReason].map(([reason, ofReason]) => [reason, metricsByPlatform(ofReason)]),
    ),
    groups: withoutRepetition({ columns: [...columns, 'post.url'], rows: briefRows }),
    series: report.series.length > 0 ? withoutRepetition(tabulateSeries(report)) : undefined,
    notes: notes.length > 0 ? notes : undefined,
    next_cursor: next_cursor ?? undefined,
  };
}

const metricsByPlatform = (gaps: readonly { readonly metric: string; readonly platform: string }[]) =>
  Object.fromEntries(
    [...Map.groupBy(gaps, ({ platform }) => platform)].map(([platform, ofPlatform]) => [
      platform,
      ofPlatform.map(({ metric }) => metric),
    ]),
  );

/** Rows of values, without the columns that are null in every row or repeat the key. */
function withoutRepetition({ columns, rows }: Table) {
  const kept = columns.filter(
    (column) =>
      column === 'key' || rows.some((row) => (row[column] ?? null) !== null && row[column] !== row['key']),
  );
  return { columns: kept, rows: rows.map((row) => kept.map((column) => row[column] ?? null)) };
}

const metricsOf = ({ totals }: Pick<Analytics, 'totals'>) =>
  analyticsMetricNames.filter((name) => name in totals);

const tabulateSeries = ({ series, totals }: Pick<Analytics, 'series' | 'totals'>): Table => ({
  columns: ['date', 'post_count', ...metricsOf({ totals })],
  rows: series.map(({ date, post_count, metrics }) => ({ ...metrics, date, post_count })),
});

const tabulateGroups = ({ groups, totals }: Pick<Analytics, 'groups' | 'totals'>): Table => ({
  columns: [
    'key',
    'platform',
    'connection_id',
    'post.id',
    'post.text',
    'post.published_at',
    'post_count',
    ...metricsOf({ totals }),
  ],
  rows: groups.map(({ key, platform = null, connection_id = null, post, post_count, metrics }) => ({
    ...metrics,
    key,
    platform,
    connection_id,
    'post.id': post?.id ?? null,
    'post.text': post?.text ?? null,
    'post.published_at': post?.published_at ?? null,
    post_count,
  })),
});
