import { ok, type Session } from '@switchboard/platform-kit';
import type { ListedPage } from '@switchboard/platform-kit/find-recent-posts';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { requestJson } from './client.js';
import { postList } from './manifest.js';
import { METRIC_FIELDS } from './metrics-of.js';
import { videos, type ListedVideo } from './wire.js';

const fields = `id,create_time,title,video_description,share_url,${METRIC_FIELDS}`;

/** The public posts of the account, newest first. */
export async function listVideos(
  session: Session,
  cursor: string | undefined,
): AdapterResult<ListedPage<ListedVideo>> {
  const json = { max_count: postList.postsPerPage, ...(cursor !== undefined && { cursor: Number(cursor) }) };
  const listed = await requestJson(
    session,
    { method: 'POST', path: '/v2/video/list/', query: { fields }, json, effect: 'read' },
    videos,
  );
  if (!listed.ok) return listed;
  const { videos: found, has_more: hasMore, cursor: next } = listed.value.data;
  return ok({ found: found ?? [], next: hasMore && next != null ? String(next) : undefined });
}
