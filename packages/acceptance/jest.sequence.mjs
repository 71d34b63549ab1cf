import Sequencer from '@jest/test-sequencer';

/**
 * The files with the longest waits, mostly for a lease to expire. Jest starts them first so that they wait
 * while other files run.
 */
const FIRST = [
  'posts-in-doubt',
  'worker-crash',
  'isolation',
  'restore',
  'pause',
  'mastodon-journey',
  'bluesky-posts',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = FIRST.findIndex((name) => path.endsWith(`/${name}.test.ts`));
      return at < 0 ? FIRST.length : at;
    };
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
}
