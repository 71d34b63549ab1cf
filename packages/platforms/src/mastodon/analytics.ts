import { ok, noMetrics, type Metrics, type Analytics, type Session } from '@switchboard/platform-kit';
import {
  requestJson,
  type AdapterResult,
  type ErrorMapping,
} from '@switchboard/platform-kit/platform-client';
import { readEach, readInBatches } from '@switchboard/platform-kit/read-metrics';
import { localId } from './account-id.js';
import { listPosts } from './list-posts.js';
import { metricsOf } from './metrics-of.js';
import { account, errorMapping, status, statuses } from './wire.js';

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
  listPosts,
  async ofPosts(session, externalIds) {
    return readInBatches(externalIds, POSTS_PER_REQUEST, async (ids) => {
      const query = { 'id[]': ids };
      const read = await requestJson(
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
    const read = await requestJson(session, errorMapping, `/api/v1/accounts/${localId(session)}`, account);
    return read.ok ? ok({ ...noMetrics, followers: read.value.followers_count ?? null }) : read;
  },
};

/** For servers without the list endpoint, introduced in Mastodon 4.3. */
async function readPostMetrics(session: Session, id: string): AdapterResult<Metrics | null> {
  const read = await requestJson(
    session,
    errorMapping,
    `/api/v1/statuses/${encodeURIComponent(id)}`,
    status,
    (_words, { status: code }) => (code === 404 ? ok(null) : undefined),
  );
  return read.ok ? ok(read.value && metricsOf(read.value)) : read;
}
