import { expect, test } from '@jest/globals';
import { analyticsSentence } from './analytics-sentence.js';
import { analyticsShape, exampleAnalytics } from './analytics-shape.js';

const example = analyticsShape.parse(exampleAnalytics);
const displayNames: Readonly<Record<string, string>> = { bluesky: 'Bluesky', x: 'X' };
const names = { platformName: (id: string) => displayNames[id] ?? id };

test('names the known metrics, the number of posts, and the metrics that a platform does not provide', () => {
  expect(analyticsSentence(example, names)).toBe(
    '1,204 impressions, 56 likes and 31 clicks over 12 posts from 2026-11-01 to 2026-11-30; ' +
      'Bluesky does not provide impressions and clicks.',
  );
});

test('does not present unknown metrics as zero, and reports notes and further pages', () => {
  const note = { connection_id: null, code: 'analytics.posts_waiting', message: 'Repeat.' };
  const likes = {
    platforms: [],
    missing: ['bluesky', 'x'],
    reasons: { bluesky: 'not_read', x: 'permission_missing' } as const,
  };
  expect(
    analyticsSentence(
      { ...example, totals: { likes: null }, coverage: { likes }, notes: [note], next_cursor: 'more' },
      names,
    ),
  ).toBe(
    'No metrics are available over 12 posts from 2026-11-01 to 2026-11-30; without permission to read metrics: X; could not be read: Bluesky; 1 note on missing or outdated data; more groups follow.',
  );
});

test('names at most three platforms that do not provide every metric', () => {
  const missing = ['a', 'b', 'c', 'd'];
  const reasons = Object.fromEntries(missing.map((id) => [id, 'not_provided' as const]));
  const coverage = { likes: { platforms: ['x'], missing, reasons } };
  expect(analyticsSentence({ ...example, coverage }, names)).toMatch(
    /; 4 platforms do not provide every metric, see coverage\.$/,
  );
});

test('says what was gained, and how it compares', () => {
  const sentence = analyticsSentence(
    {
      ...example,
      basis: 'activity',
      totals: { likes: 56, followers: 1204, followers_gained: -3 },
      change: { likes: { absolute: 6, percent: 12.4 }, followers_gained: { absolute: null, percent: null } },
      coverage: {},
    },
    names,
  );
  expect(sentence).toBe(
    '56 likes (+12%) gained over 12 posts from 2026-11-01 to 2026-11-30; 1,204 followers (-3).',
  );
});

test('reports followers even when nothing was published', () => {
  const nothing = { ...example, post_count: 0, coverage: {} };
  expect(analyticsSentence({ ...nothing, totals: { followers: 1200 } }, names)).toBe(
    'No posts were published from 2026-11-01 to 2026-11-30; 1,200 followers.',
  );
  expect(analyticsSentence({ ...nothing, totals: {} }, names)).toBe(
    'No posts were published from 2026-11-01 to 2026-11-30.',
  );
});

test('says that nothing is connected instead of that nothing was published', () => {
  const note = {
    connection_id: null,
    platform: 'x',
    code: 'analytics.not_connected',
    message: 'No X account is connected: connect one to read its metrics.',
  };
  const likes = { platforms: [], missing: ['x'], reasons: { x: 'not_connected' as const } };
  const empty = { ...example, post_count: 0, totals: {}, coverage: { likes }, notes: [note] };
  expect(analyticsSentence(empty, names)).toBe(note.message);
  expect(analyticsSentence({ ...empty, post_count: 2 }, names)).toBe(
    'No metrics are available over 2 posts from 2026-11-01 to 2026-11-30; not connected: X.',
  );
});
