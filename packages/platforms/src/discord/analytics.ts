import { noMetrics, ok, type Analytics } from '@switchboard/domain';
import { readEach, sumOf } from '../kit/read-metrics.js';
import { ask, isGone, placeOf } from './ask.js';
import { counted } from './wire.js';

const AT_ONCE = 4;

export const analytics: Analytics = {
  ofPosts: (session, externalIds) =>
    readEach(externalIds, AT_ONCE, async (id) => {
      const path = `${placeOf(session)}/messages/${encodeURIComponent(id)}`;
      const read = await ask(session, { method: 'GET', path, effect: 'read' }, counted, (words) =>
        isGone(words) ? ok(null) : undefined,
      );
      if (!read.ok || read.value === null) return read.ok ? ok(null) : read;
      // Without any, there is no list of them.
      return ok({ ...noMetrics, likes: sumOf(...(read.value.reactions ?? []).map(({ count }) => count)) });
    }),
};
