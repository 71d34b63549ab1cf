import { ok, noMetrics, type Metrics, type Analytics, type Session } from '@switchboard/platform-kit';
import {
  nullIfNotFound,
  type AdapterResult,
  unreadableResponse,
} from '@switchboard/platform-kit/platform-client';
import { readEach } from '@switchboard/platform-kit/read-metrics';
import { account, requestJson, countedPin, errorMapping, listedPins, type CountedPin } from './wire.js';
import { createdAtOf } from './created-at-of.js';
import { postList } from './manifest.js';

/** A page of carousels with every size of their images stays below this size. */
const BYTES_MAX = 8 * 1024 * 1024;

/** The batch endpoint for pins is not open to every app, and covers only the last ninety days. */
const CONCURRENCY = 6;

export const analytics: Analytics = {
  async listPosts(session, { cursor }) {
    const page = await requestJson(
      session,
      {
        path: '/v5/pins',
        query: {
          page_size: postList.postsPerPage,
          include_protected_pins: true,
          pin_metrics: true,
          bookmark: cursor ?? undefined,
        },
        maxBytes: BYTES_MAX,
      },
      listedPins,
    );
    if (!page.ok) return page;
    const posts = page.value.items.map((pin) => ({
      externalId: pin.id,
      publishedAt: new Date(createdAtOf(pin)),
      url: `https://www.pinterest.com/pin/${pin.id}/`,
      text: pin.title || pin.description || '',
      metrics: metricsOf(pin),
    }));
    // The order is undocumented, and observed.
    const isNewestFirst = posts.every(
      ({ publishedAt }, at) => publishedAt <= (posts[at - 1]?.publishedAt ?? publishedAt),
    );
    if (!isNewestFirst) return unreadableResponse(errorMapping, 'read');
    return ok({ posts, next: page.value.bookmark || null });
  },

  ofPosts: (session, externalIds) => readEach(externalIds, CONCURRENCY, (id) => readPinMetrics(session, id)),

  async ofAccount(session) {
    const me = await requestJson(session, '/v5/user_account', account);
    return me.ok ? ok({ ...noMetrics, followers: me.value.follower_count ?? null }) : me;
  },
};

async function readPinMetrics(session: Session, id: string): AdapterResult<Metrics | null> {
  const path = `/v5/pins/${encodeURIComponent(id)}`;
  const read = await requestJson(session, { path, query: { pin_metrics: true } }, countedPin, nullIfNotFound);
  return read.ok ? ok(read.value && metricsOf(read.value)) : read;
}

/** Since the pin was created: values of the last ninety days would decrease over time. */
function metricsOf({ pin_metrics: reported }: CountedPin): Metrics {
  const { impression, reaction, comment, save, outbound_click, clickthrough } =
    reported?.lifetime_metrics ?? {};
  return {
    ...noMetrics,
    impressions: impression ?? null,
    likes: reaction ?? null,
    comments: comment ?? null,
    saves: save ?? null,
    clicks: outbound_click ?? clickthrough ?? null,
  };
}
