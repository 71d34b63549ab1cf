import { ok, type Analytics } from '@switchboard/platform-kit';
import { unreadableResponse } from '@switchboard/platform-kit/platform-client';
import { createdAtOf } from './created-at-of.js';
import { postList } from './manifest.js';
import { metricsOf } from './metrics-of.js';
import { errorMapping, listedPins, requestJson } from './wire.js';

/** A page of carousels with every size of their images stays below this size. */
const BYTES_MAX = 8 * 1024 * 1024;

export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
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
};
