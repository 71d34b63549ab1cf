import { ok, noMetrics, type Metrics, type Analytics, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { readEach } from '@switchboard/platform-kit/read-metrics';
import { listPosts } from './list-posts.js';
import { metricsOf } from './metrics-of.js';
import { account, requestJson, countedPin } from './wire.js';

/** The batch endpoint for pins is not open to every app, and covers only the last ninety days. */
const CONCURRENCY = 6;

export const analytics: Analytics = {
  listPosts,
  ofPosts: (session, externalIds) => readEach(externalIds, CONCURRENCY, (id) => readPinMetrics(session, id)),

  async ofAccount(session) {
    const me = await requestJson(session, '/v5/user_account', account);
    return me.ok ? ok({ ...noMetrics, followers: me.value.follower_count ?? null }) : me;
  },
};

/** Null for a pin that is gone. */
async function readPinMetrics(session: Session, id: string): AdapterResult<Metrics | null> {
  const path = `/v5/pins/${encodeURIComponent(id)}`;
  const read = await requestJson(
    session,
    { path, query: { pin_metrics: true } },
    countedPin,
    (_words, { status }) => (status === 404 ? ok(null) : undefined),
  );
  return read.ok ? ok(read.value && metricsOf(read.value)) : read;
}
