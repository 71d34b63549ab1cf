import Sequencer from '@jest/test-sequencer';

/**
 * The files that take longest, mostly because they wait, for example for a lease to expire. Jest starts them first, so
 * that they wait while other files run and none of them runs alone at the end.
 */
const FIRST = [
  'posts-in-doubt',
  'worker-crash',
  'isolation',
  'restore',
  'pause',
  'mastodon-journey',
  'tracing',
  'bluesky-posts',
  'bluesky-journey',
  'event-payloads',
  'refund-race',
  'address-attacks',
  'sandbox-journey',
  'stdio-lifecycle',
  'rate-limit',
  'parity',
  'external-platforms',
  'fuzz',
  'waiting',
  'order-changes',
  'database-crash',
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
