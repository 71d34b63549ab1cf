import { expect, test } from '@jest/globals';
import { analyticsSentence } from './analytics-sentence.js';
import { analyticsShape, exampleAnalytics } from './analytics-shape.js';

const example = analyticsShape.parse(exampleAnalytics);

test('names the known metrics, the number of posts, and the metrics that only some platforms report', () => {
  expect(analyticsSentence(example)).toBe(
    '1,204 impressions, 56 likes and 31 clicks over 12 posts from 2026-11-01 to 2026-11-30; ' +
      'impressions and clicks are available for sandbox_social only.',
  );
});

test('does not present unknown metrics as zero, and reports notes and further pages', () => {
  const note = { connection_id: null, code: 'analytics.too_many_posts', message: 'Request less.' };
  expect(
    analyticsSentence({
      ...example,
      totals: { likes: null },
      coverage: { likes: { platforms: [], missing: ['bluesky'] } },
      notes: [note],
      next_cursor: 'more',
    }),
  ).toBe(
    'No metrics are available over 12 posts from 2026-11-01 to 2026-11-30; 1 note on missing or outdated data; more groups follow.',
  );
});

test('reports followers even when nothing was published', () => {
  const nothing = { ...example, post_count: 0, coverage: {} };
  expect(analyticsSentence({ ...nothing, totals: { followers: 1200 } })).toBe(
    'No posts were published from 2026-11-01 to 2026-11-30; 1,200 followers.',
  );
  expect(analyticsSentence({ ...nothing, totals: {} })).toBe(
    'No posts were published from 2026-11-01 to 2026-11-30.',
  );
});
