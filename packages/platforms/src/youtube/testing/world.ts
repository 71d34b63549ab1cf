import { youtubeNetwork, YOUTUBE_SCOPES, type YouTubeOptions } from '@switchboard/simulators';
import type { PublishedPart } from '@switchboard/platform-kit';
import { startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';

/** YouTube as documented. */
export async function startWorld(options: YouTubeOptions = {}) {
  const now = tickingClock();
  const network = youtubeNetwork({ now, insertsPerDay: Infinity, ...options });
  const { id, title, handle } = network.channel;
  const { videos } = network;
  const world = await startSimulator({
    account: {
      id,
      username: handle,
      name: title,
      url: `https://www.youtube.com/channel/${id}`,
      avatarUrl: `https://i.ytimg.com/ytc/${id}/default.jpg`,
    },
    simulator: network,
    owner: { account: id, scopes: YOUTUBE_SCOPES },
    weakOwner: { account: id, scopes: [] },
    effects: () => videos.createdCount(),
    textOf: (one) => videos.find(one)?.description ?? videos.comment(one)?.text ?? '',
    titleOf: (one) => videos.find(one)?.title ?? null,
    parentOf: (one) => videos.comment(one)?.videoId ?? null,
    mediaOf(one) {
      const { videoFile, thumbnail } = videos.find(one) ?? {};
      return [videoFile, thumbnail].flatMap((file) => (file ? [{ ...file, altText: null }] : []));
    },
  });
  const words = { title: 'A title', description: '', tags: [], categoryId: '22', privacyStatus: 'public' };
  const flags = { selfDeclaredMadeForKids: false, containsSyntheticMedia: null, notifiesSubscribers: true };
  let target: PublishedPart | undefined;
  const addTarget = (): PublishedPart => {
    const stored = videos.add({ ...words, ...flags }, id, 'video/mp4', new Uint8Array([1]));
    return { externalId: stored.id, url: null, receipt: {} };
  };
  const needs = { title: 'A title', options: { made_for_kids: false } };
  return {
    ...world,
    commentRemovalUnproven:
      'A comment that is held for review or rejected is not listed either. https://developers.google.com/youtube/v3/docs/comments#snippet.moderationStatus',
    network,
    needs,
    requestsBefore: { post: 1, edit: 1 },
    edits: () => videos.editCount(),
    editTarget: () => (target ??= addTarget()),
    remembered: { video: 'nothing' },
    // https://developers.google.com/youtube/v3/docs/videos/insert: subscribers are notified unless
    // `notifySubscribers` is false. https://developers.google.com/youtube/v3/docs/videos and /videos/insert
    wireFields: {
      visibility: 'privacyStatus',
      made_for_kids: 'selfDeclaredMadeForKids',
      category: 'categoryId',
      synthetic_media: 'containsSyntheticMedia',
      notify_subscribers: 'notifySubscribers',
    },
    optionDefaults: { visibility: 'public', notify_subscribers: true },
  } satisfies ExtendedWorld;
}
