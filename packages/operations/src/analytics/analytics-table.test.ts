import { expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { analyticsCsv } from './analytics-table.js';
import { analyticsShape, exampleAnalytics } from './analytics-shape.js';

const example = analyticsShape.parse(exampleAnalytics);
const read = (csv: string) => parse<Record<string, string>>(csv, { columns: true });

test('contains a line for each group, with the names and values of the JSON', () => {
  expect(read(analyticsCsv(example))).toEqual(
    example.groups.map(({ key, platform, post_count, metrics }) => ({
      key,
      platform,
      connection_id: '',
      'post.id': '',
      'post.text': '',
      'post.published_at': '',
      post_count: String(post_count),
      impressions: metrics.impressions === null ? '' : String(metrics.impressions),
      likes: String(metrics.likes),
      clicks: metrics.clicks === null ? '' : String(metrics.clicks),
      engagement_rate: metrics.engagement_rate === null ? '' : String(metrics.engagement_rate),
    })),
  );
});

test('contains a line for each entry of the series where the report has one', () => {
  const series = [
    { date: '2026-11-01', post_count: 2, metrics: { likes: -3, impressions: null } },
    { date: '2026-11-02', post_count: 0, metrics: { likes: null, impressions: 0 } },
  ];
  const rows = read(analyticsCsv({ ...example, totals: { likes: -3, impressions: 0 }, series }));
  expect(rows).toEqual([
    { date: '2026-11-01', post_count: '2', impressions: '', likes: '-3' },
    { date: '2026-11-02', post_count: '0', impressions: '0', likes: '' },
  ]);
});

test.each([
  ['=HYPERLINK("https://evil.example")', `'=HYPERLINK("https://evil.example")`],
  ['+1', `'+1`],
  ['-1+1', `'-1+1`],
  ['@SUM(A1)', `'@SUM(A1)`],
  ['\tx', `'\tx`],
  ['\r=1', `'\r=1`],
  ['a, "b"\nc\r\nd; é 🐈', 'a, "b"\nc\r\nd; é 🐈'],
])('quotes texts, and none is a formula: %j', (text, expected) => {
  const post = { id: 'pst_1', text, published_at: '2026-11-01T00:00:00.000Z', urls: [] };
  const [group] = example.groups;
  if (!group) throw new Error('the example has groups');
  const rows = read(analyticsCsv({ ...example, groups: [{ ...group, key: text, post }] }));
  expect(rows.map((row) => [row['key'], row['post.text']])).toEqual([[expected, expected]]);
});
