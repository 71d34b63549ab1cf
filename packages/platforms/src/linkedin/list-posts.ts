import { ok, refuse, type Analytics } from '@switchboard/platform-kit';
import { listPage } from './list-page.js';
import { parseLittleText } from './little-text.js';
import { ownPostsRequest, partOf, stateOf } from './post-state.js';
import { canRead } from './read-access.js';
import { listedPosts } from './wire.js';

/** A reshare without words is no post of the account. */
export const listPosts: NonNullable<Analytics['listPosts']> = async (session, { cursor }) => {
  if (!canRead(session, 'r_member_social')) {
    return refuse('platform.permission_missing', 'LinkedIn does not let apps list a member’s own posts.');
  }
  const page = await listPage(session, ownPostsRequest(session), listedPosts, cursor ?? undefined);
  if (!page.ok) return page;
  const own = page.value.found.filter(
    ({ lifecycleState, reshareContext, commentary }) =>
      stateOf(lifecycleState) === 'published' && (reshareContext == null || commentary !== ''),
  );
  return ok({
    posts: own.map(({ id, createdAt, commentary }) => ({
      externalId: id,
      publishedAt: new Date(createdAt),
      url: partOf(id).url,
      text: parseLittleText(commentary),
      metrics: null,
    })),
    next: page.value.next ?? null,
  });
};
