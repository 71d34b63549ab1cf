import type { VideoStore, VideoProcessing, YouTubeComment, YouTubeVideo } from './video-store.js';

export interface YouTubeChannel {
  readonly id: string;
  readonly title: string;
  readonly handle: string;
  readonly subscribers: number;
}

type PartNames = readonly string[];

const etag = 'q0p7Y3cO8o8xk0Zb3WnX1mJ2a5E';
const imageUrl = (path: string) => ({
  default: { url: `https://i.ytimg.com/${path}/default.jpg`, width: 120, height: 90 },
});
/** Google's format of 64-bit integers. */
const long = (count: number) => String(count);

export const uploadsOf = ({ id }: YouTubeChannel): string => `UU${id.slice(2)}`;

export const presentChannel = (channel: YouTubeChannel, videos: number, parts: PartNames) => ({
  kind: 'youtube#channel',
  etag,
  id: channel.id,
  ...(parts.includes('snippet') && {
    snippet: {
      title: channel.title,
      description: '',
      customUrl: channel.handle,
      publishedAt: '2019-03-04T10:11:12Z',
      thumbnails: imageUrl(`ytc/${channel.id}`),
      localized: { title: channel.title, description: '' },
    },
  }),
  ...(parts.includes('contentDetails') && {
    contentDetails: { relatedPlaylists: { likes: '', uploads: uploadsOf(channel) } },
  }),
  ...(parts.includes('statistics') && {
    statistics: {
      viewCount: long(4_812),
      subscriberCount: long(channel.subscribers),
      hiddenSubscriberCount: false,
      videoCount: long(videos),
    },
  }),
});

export const presentVideo = (
  video: YouTubeVideo,
  channel: YouTubeChannel,
  comments: number,
  parts: PartNames,
  processing: VideoProcessing = { uploadStatus: 'uploaded' },
) => ({
  kind: 'youtube#video',
  etag,
  id: video.id,
  ...(parts.includes('snippet') && {
    snippet: {
      publishedAt: stamp(video.createdAt),
      channelId: video.channelId,
      title: video.title,
      description: video.description,
      thumbnails: imageUrl(`vi/${video.id}`),
      channelTitle: channel.title,
      categoryId: video.categoryId,
      liveBroadcastContent: 'none',
      ...(video.tags.length > 0 && { tags: video.tags }),
      localized: { title: video.title, description: video.description },
    },
  }),
  ...(parts.includes('status') && {
    status: {
      ...processing,
      privacyStatus: video.privacyStatus,
      license: 'youtube',
      embeddable: true,
      publicStatsViewable: true,
      madeForKids: video.selfDeclaredMadeForKids ?? false,
      ...(video.selfDeclaredMadeForKids !== null && {
        selfDeclaredMadeForKids: video.selfDeclaredMadeForKids,
      }),
      ...(video.containsSyntheticMedia !== null && { containsSyntheticMedia: video.containsSyntheticMedia }),
    },
  }),
  ...(parts.includes('statistics') && {
    statistics: {
      viewCount: long(321),
      likeCount: long(12),
      favoriteCount: long(0),
      commentCount: long(comments),
    },
  }),
});

export const presentUpload = (
  video: YouTubeVideo,
  channel: YouTubeChannel,
  at: number,
  parts: PartNames,
) => ({
  kind: 'youtube#playlistItem',
  etag,
  id: Buffer.from(`${uploadsOf(channel)}.${video.id}`).toString('base64'),
  ...(parts.includes('snippet') && {
    snippet: {
      publishedAt: stamp(video.createdAt),
      channelId: video.channelId,
      title: video.title,
      description: video.description,
      thumbnails: imageUrl(`vi/${video.id}`),
      channelTitle: channel.title,
      playlistId: uploadsOf(channel),
      position: at,
      resourceId: { kind: 'youtube#video', videoId: video.id },
      videoOwnerChannelTitle: channel.title,
      videoOwnerChannelId: video.channelId,
    },
  }),
  ...(parts.includes('contentDetails') && {
    contentDetails: {
      videoId: video.id,
      ...(video.privacyStatus !== 'private' && { videoPublishedAt: stamp(video.createdAt) }),
    },
  }),
  ...(parts.includes('status') && { status: { privacyStatus: video.privacyStatus } }),
});

export const presentThread = (
  comment: YouTubeComment,
  channel: YouTubeChannel,
  { isHeld }: Pick<VideoStore, 'isHeld'>,
) => {
  const { id, videoId, text } = comment;
  const at = stamp(comment.createdAt);
  return {
    kind: 'youtube#commentThread',
    etag,
    id,
    snippet: {
      channelId: channel.id,
      videoId,
      canReply: true,
      totalReplyCount: 0,
      isPublic: true,
      topLevelComment: {
        kind: 'youtube#comment',
        etag,
        id,
        snippet: {
          channelId: channel.id,
          videoId,
          textDisplay: text,
          textOriginal: text,
          authorDisplayName: channel.handle,
          authorProfileImageUrl: 'https://yt3.ggpht.com/ytc/1',
          authorChannelUrl: `http://www.youtube.com/${channel.handle}`,
          authorChannelId: { value: comment.authorChannelId },
          ...(isHeld(id) && { moderationStatus: 'heldForReview' }),
          canRate: true,
          viewerRating: 'none',
          likeCount: 0,
          publishedAt: at,
          updatedAt: at,
        },
      },
    },
  };
};

export const listOf = (kind: string, items: readonly unknown[], next?: string) => ({
  kind: `youtube#${kind}`,
  etag,
  ...(next !== undefined && { nextPageToken: next }),
  pageInfo: { totalResults: items.length, resultsPerPage: Math.max(items.length, 5) },
  items,
});

/** With second precision. */
const stamp = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');
