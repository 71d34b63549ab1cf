import { ok, type Analytics } from '@switchboard/platform-kit';
import { plainTextOf } from '@switchboard/platform-kit/plain-text-of';
import { localId } from './account-id.js';
import { postList } from './manifest.js';
import { metricsOf } from './metrics-of.js';
import { accountStatuses, requestJson } from './wire.js';

/** Direct messages are no posts. A reply to one's own status is part of a thread. */
export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
  const page = await requestJson(
    session,
    {
      path: `/api/v1/accounts/${localId(session)}/statuses`,
      query: {
        limit: postList.postsPerPage,
        exclude_replies: true,
        exclude_reblogs: true,
        max_id: cursor ?? undefined,
      },
    },
    accountStatuses,
  );
  if (!page.ok) return page;
  const own = page.value.filter(
    ({ in_reply_to_id: parent, visibility, reblog }) =>
      parent === null && visibility !== 'direct' && reblog == null,
  );
  return ok({
    posts: own.map((status) => ({
      externalId: status.id,
      publishedAt: new Date(status.created_at),
      url: status.url ?? status.uri ?? null,
      text: plainTextOf(status.content),
      metrics: metricsOf(status),
    })),
    // A server may return fewer than requested, so that only an empty page is the end.
    next: page.value.at(-1)?.id ?? null,
  });
};
