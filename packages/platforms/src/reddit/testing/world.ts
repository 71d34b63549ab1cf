import { REDDIT_SCOPES, redditNetwork } from '@switchboard/simulators';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';

/** Reddit as documented, except for its rate limit. */
export async function startWorld() {
  const network = redditNetwork({
    now: tickingClock(),
    queriesPerWindow: Infinity,
    requiresUserAgent: false,
  });
  const { account, posts } = network;
  const world = await startSimulator({
    account: {
      id: account.id,
      username: account.name,
      name: account.title,
      avatarUrl: null,
      url: `https://www.reddit.com/user/${account.name}`,
    },
    simulator: network,
    owner: { account: account.name, scopes: REDDIT_SCOPES },
    weakOwner: { account: account.name, scopes: ['identity'] },
    effects: () => posts.createdCount(),
    textOf(id) {
      const post = posts.findPost(id);
      return post ? appendLink({ text: post.text, link: post.url }) : (posts.findComment(id)?.text ?? '');
    },
    titleOf: (id) => posts.findPost(id)?.title ?? null,
    parentOf: (id) => posts.findComment(id)?.parent ?? null,
    mediaOf: (id) =>
      (posts.findPost(id)?.media ?? []).map(({ type, sha256 }) => ({ type, sha256, altText: null })),
  });
  return {
    ...world,
    network,
    edits: () => posts.editCount(),
    needs: { title: 'A pot', options: { subreddit: 'Pottery' } },
    requestsBefore: { post: 2 },
    optionSamples: { flair_text: ['Mine', 'Yours'] },
    optionContent: { flair_text: () => ({ options: { subreddit: 'Pottery', flair: 'Finished & fired' } }) },
    // https://www.reddit.com/dev/api#POST_api_submit: replies are sent to the inbox unless `sendreplies` is
    // false.
    optionDefaults: { send_replies: true },
    wireFields: { subreddit: 'sr', flair: 'flair_id', send_replies: 'sendreplies' },
    absenceProvesNothing: 'with_media',
    notReadBack: {
      'its option resubmit':
        'It decides whether Reddit accepts a link that was posted before, and is not a field of the post. https://www.reddit.com/dev/api#POST_api_submit',
    },
  } satisfies ExtendedWorld;
}
