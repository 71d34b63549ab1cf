import { X_SCOPES, xNetwork, type XNetwork } from '@switchboard/simulators';
import { startSimulator } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';

type XSubscription = NonNullable<XNetwork['account']['subscription']>;

/**
 * X as documented, except for its refusal of duplicate texts. Its clock advances a second each time it is
 * read.
 */
export async function startWorld(
  options: { readonly refusesDuplicates?: boolean; readonly subscription?: XSubscription } = {},
) {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  const network = xNetwork({
    now: () => new Date(++seconds * 1_000),
    refusesDuplicates: options.refusesDuplicates ?? false,
    postsPerWindow: Infinity,
    ...(options.subscription && { account: { ...ALICE, subscription: options.subscription } }),
  });
  const { id, username, name } = network.account;
  const world = await startSimulator({
    account: { id, username, name, avatarUrl: null, url: `https://x.com/${username}` },
    simulator: network,
    owner: { account: id, scopes: X_SCOPES },
    weakOwner: { account: id, scopes: [] },
    effects: () => network.posts.createdCount(),
    textOf: (post) => network.posts.find(post)?.text ?? '',
    parentOf: (post) => network.posts.find(post)?.inReplyToId ?? null,
    mediaOf: (post) =>
      (network.posts.find(post)?.media ?? []).map(({ type, sha256, altText }) => ({
        type,
        sha256: sha256 ?? '',
        altText,
      })),
  });
  return {
    ...world,
    notReadBack: {
      'its option made_with_ai': NOT_A_FIELD,
      'its option share_with_followers': NOT_A_FIELD,
    },
    optionSamples: { community_id: ['1146654567674912769', '1493446837214187523'] },
    // Returned only for posts with media.
    omittedFields: ['data.*.attachments', 'data.*.attachments.media_keys'],
    network,
    videosHaveNoAltText: true,
    missingMetrics: ['views'],
    advanceDays: (days: number) => void (seconds += days * 86_400),
  } satisfies ExtendedWorld;
}

const NOT_A_FIELD =
  'A field of the request alone: the values of tweet.fields name the others, and not this one. https://docs.x.com/x-api/stream/stream-all-posts';

const ALICE = { id: '2244994945', username: 'alice', name: 'Alice', followers: 12 };
