import { pickFields } from '../wire/exchange.js';
import type { YouTubeChannel } from './network.js';
import type { VideoStore, VideoProcessing, YouTubeComment, YouTubeVideo } from './video-store.js';

type PartNames = readonly string[];

const imageUrl = (path: string) => ({
  default: { url: `https://i.ytimg.com/${path}/default.jpg`, width: 120, height: 90 },
});
/** Google's format of 64-bit integers. */
const long = (count: number) => String(count);

export const uploadsOf = ({ id }: YouTubeChannel): string => `UU${id.slice(2)}`;

export const presentChannel = (channel: YouTubeChannel, parts: PartNames) => ({
  kind: 'youtube#channel',
  id: channel.id,
  ...pickFields(
    {
      snippet: {
        title: channel.title,
        description: '',
        customUrl: channel.handle,
        publishedAt: '2019-03-04T10:11:12Z',
        thumbnails: imageUrl(`ytc/${channel.id}`),
      },
      contentDetails: { relatedPlaylists: { likes: '', uploads: uploadsOf(channel) } },
      statistics: {
        viewCount: long(4_812),
        subscriberCount: long(channel.subscribers),
        hiddenSubscriberCount: false,
      },
    },
    parts,
  ),
});

const snippetOf = ({ id, createdAt, channelId, title, description }: YouTubeVideo) => ({
  publishedAt: stamp(createdAt),
  channelId,
  title,
  description,
  thumbnails: imageUrl(`vi/${id}`),
});

export const presentVideo = (
  video: YouTubeVideo,
  comments: number,
  parts: PartNames,
  processing: VideoProcessing = { uploadStatus: 'uploaded' },
) => ({
  kind: 'youtube#video',
  id: video.id,
  ...pickFields(
    {
      snippet: {
        ...snippetOf(video),
        categoryId: video.categoryId,
        tags: video.tags.length > 0 ? video.tags : undefined,
      },
      status: {
        ...processing,
        privacyStatus: video.privacyStatus,
        selfDeclaredMadeForKids: video.selfDeclaredMadeForKids ?? undefined,
        containsSyntheticMedia: video.containsSyntheticMedia ?? undefined,
      },
      statistics: { viewCount: long(321), likeCount: long(12), commentCount: long(comments) },
    },
    parts,
  ),
});

export const presentUpload = (video: YouTubeVideo, channel: YouTubeChannel, parts: PartNames) => ({
  kind: 'youtube#playlistItem',
  id: Buffer.from(`${uploadsOf(channel)}.${video.id}`).toString('base64'),
  ...pickFields(
    {
      snippet: {
        ...snippetOf(video),
        playlistId: uploadsOf(channel),
        resourceId: { kind: 'youtube#video', videoId: video.id },
      },
      contentDetails: {
        videoId: video.id,
        videoPublishedAt: video.privacyStatus === 'private' ? undefined : stamp(video.createdAt),
      },
      status: { privacyStatus: video.privacyStatus },
    },
    parts,
  ),
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
    id,
    snippet: {
      channelId: channel.id,
      videoId,
      topLevelComment: {
        kind: 'youtube#comment',
        id,
        snippet: {
          channelId: channel.id,
          videoId,
          textDisplay: text,
          textOriginal: text,
          authorChannelId: { value: comment.authorChannelId },
          ...(isHeld(id) && { moderationStatus: 'heldForReview' }),
          likeCount: 0,
          publishedAt: at,
        },
      },
    },
  };
};

export const listOf = (kind: string, items: readonly unknown[], next?: string) => ({
  kind: `youtube#${kind}`,
  ...(next !== undefined && { nextPageToken: next }),
  items,
});

/** With second precision. */
const stamp = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');
