import { TIKTOK_SCOPES, tiktokNetwork } from '@switchboard/simulators';
import { identifyAccount, startSimulator } from '@switchboard/platform-kit/testing/simulator';
import { testMediaAt, videoOf } from '@switchboard/platform-kit/testing/test-media';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { connecting } from '../connecting.js';

const VIDEO_OBJECT =
  'Not a field of the Video Object. https://developers.tiktok.com/doc/tiktok-api-v2-video-object (2026-08-24)';

type TikTokLimits = Pick<
  NonNullable<Parameters<typeof tiktokNetwork>[0]>,
  'audited' | 'postsPerDay' | 'initsPerMinute' | 'owns'
>;

/**
 * TikTok as documented, with photos created by the tests. Its clock advances a second each time it is read.
 */
export async function startWorld(limits: TikTokLimits = {}) {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  const network = tiktokNetwork({
    now: () => new Date(++seconds * 1_000),
    postsPerDay: Infinity,
    initsPerMinute: Infinity,
    ...limits,
    fetchFile: async (url) => testMediaAt(url)?.content ?? null,
  });
  const { id } = network.account();
  const world = await startSimulator({
    account: { id, username: null, name: null, avatarUrl: null, url: null },
    simulator: network,
    owner: { account: id, scopes: TIKTOK_SCOPES },
    weakOwner: { account: id, scopes: ['user.info.basic'] },
    effects: () => network.posts.createdCount(),
    textOf: (post) => {
      const { kind, title = '', description = '' } = network.posts.find(post) ?? {};
      return kind === 'photo' ? description : title;
    },
    titleOf: (post) => network.posts.find(post)?.title ?? null,
    mediaOf: (post) =>
      (network.posts.find(post)?.files ?? []).map(({ type, sha256 }) => ({ type, sha256, altText: null })),
  });
  return {
    ...world,
    account: await identifyAccount(connecting, { ...world, permissions: TIKTOK_SCOPES }),
    network,
    advanceSeconds: (more: number) => void (seconds += more),
    needs: { options: { privacy_level: 'PUBLIC_TO_EVERYONE' } },
    requestsBefore: { post: 1 },
    optionSamples: { video_cover_timestamp_ms: ['500', '700'] },
    optionContent: Object.fromEntries(
      ['disable_duet', 'disable_stitch', 'is_aigc', 'video_cover_timestamp_ms'].map((name) => [
        name,
        () => ({ media: [videoOf()] }),
      ]),
    ),
    remembered: { sent: 'yes' },
    absenceProvesNothing: true,
    deletePost: (post) => network.posts.remove(post),
    removalUnproven:
      'The API returns public posts alone. https://developers.tiktok.com/doc/tiktok-api-v2-video-query (2026-08-24)',
    notReadBack: {
      'its image': `${VIDEO_OBJECT} Its cover has a URL that expires after six hours.`,
      'its option disable_comment': VIDEO_OBJECT,
      'its option brand_content_toggle': VIDEO_OBJECT,
      'its option brand_organic_toggle': VIDEO_OBJECT,
      'its option auto_add_music': VIDEO_OBJECT,
    },
    // Reported only for public posts.
    omittedFields: ['data.publicaly_available_post_id'],
    delayUrls: (held) => network.posts.setModerationPending(held),
  } satisfies ExtendedWorld;
}
