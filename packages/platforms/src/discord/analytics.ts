import { ok, noMetrics, type Analytics } from '@switchboard/platform-kit';
import { readEach, sumIfComplete } from '@switchboard/platform-kit/read-metrics';
import { requestJson, messagesPathOf, nullIfUnknown } from './client.js';
import { counted } from './wire.js';

const CONCURRENCY = 4;

export const analytics: Analytics = {
  ofPosts: (session, externalIds) =>
    readEach(externalIds, CONCURRENCY, async (id) => {
      const path = `${messagesPathOf(session)}/messages/${encodeURIComponent(id)}`;
      const read = await requestJson(session, path, counted, nullIfUnknown);
      if (!read.ok || read.value === null) return read.ok ? ok(null) : read;
      // Without any, Discord omits the list.
      return ok({
        ...noMetrics,
        likes: sumIfComplete(...(read.value.reactions ?? []).map(({ count }) => count)),
      });
    }),
};
