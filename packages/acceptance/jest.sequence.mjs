import Sequencer from '@jest/test-sequencer';

/** Those that wait the longest, mostly for a lease to end: begun first, they wait beside whatever works. */
const FIRST = ['posts-in-doubt', 'worker-crash', 'chaos/chaos', 'mastodon-journey', 'bluesky-posts'];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = FIRST.findIndex((name) => path.endsWith(`/${name}.test.ts`));
      return at < 0 ? FIRST.length : at;
    };
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
}
