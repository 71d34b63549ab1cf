import { ok, noMetrics, type Metrics, type Analytics, type Session } from '@switchboard/platform-kit';
import {
  nullIfNotFound,
  requestJson as requestWith,
  type AdapterResult,
  type ErrorMapping,
} from '@switchboard/platform-kit/platform-client';
import { readEach, readInBatches } from '@switchboard/platform-kit/read-metrics';
import { localId } from './account-id.js';
import { statusPath } from './find-status.js';
import {
  account,
  errorMapping,
  status,
  statuses,
  accountStatuses,
  requestJson,
  type FoundStatus,
} from './wire.js';
import { plainTextOf } from '@switchboard/platform-kit/plain-text-of';
import { postList } from './manifest.js';

/** More of them per request are a 422. */
const POSTS_PER_REQUEST = 20;
/** Where each is requested separately. */
const STATUSES_AT_ONCE = 4;
/** The response of a server to an endpoint that it does not have, also as plain text. */
const NOT_FOUND_STATUSES = [404, 405];
const lenientErrorMapping: ErrorMapping = {
  ...errorMapping,
  parseError: (response) =>
    errorMapping.parseError(response) ??
    (NOT_FOUND_STATUSES.includes(response.status) ? { message: 'Not Found' } : null),
};

export const analytics: Analytics = {
  /** Direct messages are no posts. A reply to one's own status is part of a thread. */
  async listPosts(session, { cursor }) {
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
  },

  async ofPosts(session, externalIds) {
    return readInBatches(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const query = { 'id[]': ids };
      const read = await requestWith(
        session,
        lenientErrorMapping,
        { path: '/api/v1/statuses', query },
        statuses,
        (_words, { status: code }) => (NOT_FOUND_STATUSES.includes(code) ? ok(null) : undefined),
      );
      if (!read.ok) return read;
      if (read.value === null) return readEach(ids, STATUSES_AT_ONCE, (id) => readPostMetrics(session, id));
      return ok(read.value.map((one): [string, Metrics] => [one.id, metricsOf(one)]));
    });
  },

  async ofAccount(session) {
    const read = await requestJson(session, `/api/v1/accounts/${localId(session)}`, account);
    return read.ok ? ok({ ...noMetrics, followers: read.value.followers_count ?? null }) : read;
  },
};

/** For servers without the list endpoint, introduced in Mastodon 4.3. */
async function readPostMetrics(session: Session, id: string): AdapterResult<Metrics | null> {
  const read = await requestJson(session, statusPath(id), status, nullIfNotFound);
  return read.ok ? ok(read.value && metricsOf(read.value)) : read;
}

const metricsOf = (
  status: Pick<FoundStatus, 'favourites_count' | 'replies_count' | 'reblogs_count'>,
): Metrics => ({
  ...noMetrics,
  likes: status.favourites_count ?? null,
  comments: status.replies_count ?? null,
  shares: status.reblogs_count ?? null,
});
