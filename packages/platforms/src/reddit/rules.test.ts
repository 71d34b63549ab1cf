import { expect, test } from '@jest/globals';
import { buildItem } from '@switchboard/platform-kit/testing/calls';
import { parseWaitSeconds } from './client.js';
import { rules, subredditOf } from './rules.js';

test.each([
  ['pottery', 'pottery'],
  [' r/Pottery/ ', 'Pottery'],
  ['/r/pottery', 'pottery'],
  ['https://www.reddit.com/r/pottery/', 'pottery'],
  ['https://old.reddit.com/u/alice', 'u_alice'],
  ['u/alice-b', 'u_alice-b'],
  ['/user/alice', 'u_alice'],
  ['u_alice', 'u_alice'],
])('%j is %s to Reddit', (written, name) => {
  const item = buildItem('Hi', { options: { subreddit: written } });
  expect(subredditOf(item)).toBe(name);
  expect(rules.check(item)).toEqual([]);
});

test.each(['all', 'r/popular', 'a b', 'p', '../api', 'pottery+kilns', 'https://example.com/r/pottery'])(
  '%j is not a subreddit that can be posted to',
  (subreddit) => {
    expect(rules.check(buildItem('Hi', { options: { subreddit } }))).toMatchObject([
      { path: 'options.subreddit', code: 'option.invalid' },
    ]);
  },
);

test('custom flair text requires the flair', () => {
  const options = { subreddit: 'pottery', flair_text: 'Mine' };
  expect(rules.check(buildItem('Hi', { options }))).toMatchObject([{ path: 'options.flair_text' }]);
  expect(rules.check(buildItem('Hi', { options: { ...options, flair: 'Discussion' } }))).toEqual([]);
});

test.each([
  ['Take a break for 9 minutes before trying again.', null, 541],
  ['Take a break for 2,147 milliseconds', null, 2],
  ['try again in 1 minute', null, 61],
  ['Please try again in an hour.', null, 3_601],
  ['Try again in 5 seconds.', 4.2, 6],
  ['Slow down.', null, 601],
  ['Slow down.', 1_000_000, 86_400],
])('%j with %p gives a delay of %d s', (words, ratelimit, seconds) => {
  expect(parseWaitSeconds(words, ratelimit)).toBe(seconds);
});
