import {
  ok,
  noMetrics,
  type FailureCode,
  type Metrics,
  type Analytics,
  type Session,
} from '@switchboard/platform-kit';
import { readInBatches } from '@switchboard/platform-kit/read-metrics';
import { unreadableResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { manifest, postList } from './manifest.js';
import {
  requestJson,
  requestResponse,
  channels,
  counted,
  errorMapping,
  report,
  type CountedVideo,
  publishedUploads,
} from './wire.js';
import { findUploadsPlaylist } from './find-uploads-playlist.js';

/** More of them per request are refused. */
const VIDEOS_PER_REQUEST = 50;
/** Before the first video of YouTube. */
const FIRST_DAY = '2005-02-14';

/** Failures of the reports alone: a separate API, which may be disabled in a project or down. */
const fatalCodes: readonly FailureCode[] = ['connection.needs_reauth', 'platform.rate_limited'];

export const analytics: Analytics = {
  /** The playlist of uploads also contains private videos, and those that are published later. */
  async listPosts(session, { cursor }) {
    const playlist = await findUploadsPlaylist(session);
    if (!playlist.ok) return playlist;
    if (playlist.value === null) return ok({ posts: [], next: null });
    const page = await requestJson(
      session,
      {
        path: '/youtube/v3/playlistItems',
        query: {
          part: 'snippet,contentDetails,status',
          playlistId: playlist.value,
          maxResults: postList.postsPerPage,
          pageToken: cursor ?? undefined,
        },
      },
      publishedUploads,
    );
    if (!page.ok) return page;
    return ok({
      posts: page.value.items.flatMap(({ snippet, contentDetails, status }) => {
        const at = contentDetails?.videoPublishedAt ?? null;
        if (at === null || status?.privacyStatus === 'private') return [];
        const id = snippet.resourceId.videoId;
        return [
          {
            externalId: id,
            publishedAt: new Date(at),
            url: `https://www.youtube.com/watch?v=${id}`,
            text: snippet.title,
            // The list contains no counts.
            metrics: null,
          },
        ];
      }),
      next: page.value.nextPageToken ?? null,
    });
  },

  ofPosts: (session, externalIds) =>
    readInBatches(externalIds, VIDEOS_PER_REQUEST, async (ids) => {
      const query = { part: 'statistics', id: ids.join(',') };
      const path = '/youtube/v3/videos';
      const response = await requestResponse(session, { path, query });
      if (!response.ok) return response;
      const read = counted.safeParse(response.value.json);
      if (!read.success) return unreadableResponse(errorMapping, 'read');
      const { items } = read.data;
      const shares = await fetchShares(session, items, dayOf(response.value.headers['date']));
      if (!shares.ok && fatalCodes.includes(shares.failure.code)) return shares;
      const known = shares.ok ? shares.value : null;
      return ok(items.map((one) => [one.id, metricsOf(one, known?.get(one.id) ?? null)] as const));
    }),

  async ofAccount(session) {
    const query = { part: 'statistics', mine: true };
    const read = await requestJson(session, { path: '/youtube/v3/channels', query }, channels);
    if (!read.ok) return read;
    const { subscriberCount, hiddenSubscriberCount } = read.value.items[0]?.statistics ?? {};
    return ok({ ...noMetrics, followers: hiddenSubscriberCount ? null : (subscriberCount ?? null) });
  },
};

/**
 * Metrics that only YouTube Analytics has, with a delay of two or three days. A video that it does not know
 * yet has none.
 */
async function fetchShares(
  session: Session,
  videos: readonly CountedVideo[],
  today: string | null,
): AdapterResult<ReadonlyMap<string, number>> {
  if (videos.length === 0 || today === null) return ok(new Map<string, number>());
  const read = await requestJson(
    session,
    {
      path: `${manifest.analyticsBaseUrl}/v2/reports`,
      query: {
        ids: 'channel==MINE',
        startDate: FIRST_DAY,
        endDate: today,
        metrics: 'views,shares',
        dimensions: 'video',
        filters: `video==${videos.map(({ id }) => id).join(',')}`,
        sort: '-views',
        maxResults: VIDEOS_PER_REQUEST,
      },
    },
    report,
  );
  if (!read.ok) return read;
  const names = read.value.columnHeaders.map(({ name }) => name);
  const [video, shares] = [names.indexOf('video'), names.indexOf('shares')];
  return ok(
    new Map(
      (read.value.rows ?? []).flatMap((row) => {
        const [id, count] = [row[video], row[shares]];
        return typeof id === 'string' && typeof count === 'number' ? [[id, count] as const] : [];
      }),
    ),
  );
}

/** The date of a response. */
function dayOf(date: string | undefined): string | null {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString().slice(0, 10);
}

const metricsOf = ({ statistics }: CountedVideo, shares: number | null): Metrics => ({
  ...noMetrics,
  views: statistics?.viewCount ?? null,
  likes: statistics?.likeCount ?? null,
  comments: statistics?.commentCount ?? null,
  shares,
});
