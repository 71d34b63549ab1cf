import { ok, type Analytics } from '@switchboard/platform-kit';
import { findUploadsPlaylist } from './find-uploads-playlist.js';
import { postList } from './manifest.js';
import { publishedUploads, requestJson } from './wire.js';

/** The playlist of uploads also contains private videos, and those that are published later. */
export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
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
};
