import { expect, test } from '@jest/globals';
import { analyticsSentence } from './analytics-sentence.js';
import { analyticsShape, exampleAnalytics } from './analytics-shape.js';

const example = analyticsShape.parse(exampleAnalytics);

test('it names what is known, over how many posts, and what only some platforms give', () => {
  expect(analyticsSentence(example)).toBe(
    '1,204 impressions, 56 likes and 31 clicks over 12 posts from 2026-11-01 to 2026-11-30; ' +
      'impressions and clicks are known for sandbox_social only.',
  );
});

test('nothing known is not told as nought, and notes and further pages are told of', () => {
  const note = { connection_id: null, code: 'analytics.too_many_posts', message: 'Ask for less.' };
  expect(
    analyticsSentence({
      ...example,
      totals: { likes: null },
      coverage: { likes: { platforms: [], missing: ['bluesky'] } },
      notes: [note],
      next_cursor: 'more',
    }),
  ).toBe(
    'No numbers are known over 12 posts from 2026-11-01 to 2026-11-30; 1 note tells what is missing or old; more groups follow.',
  );
});

test('followers are told also where nothing was published', () => {
  const nothing = { ...example, post_count: 0, coverage: {} };
  expect(analyticsSentence({ ...nothing, totals: { followers: 1200 } })).toBe(
    'No posts were published from 2026-11-01 to 2026-11-30; 1,200 followers.',
  );
  expect(analyticsSentence({ ...nothing, totals: {} })).toBe(
    'No posts were published from 2026-11-01 to 2026-11-30.',
  );
});
