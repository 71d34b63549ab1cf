import { ok, refuse } from '@switchboard/domain';
import type { PublishedPart, PublishItem, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { findRecentPosts, resolveSingleMatchWithOptions } from '../kit/find-recent-posts.js';
import { uploadedMediaIds } from '../kit/resumable-uploads.js';
import { toLittleText, parseLittleText } from './little-text.js';
import { listPage } from './list-page.js';
import { asAuthor, findTaken, published, stateOf, takenPost } from './post-state.js';
import { readNotPermitted, canRead } from './read-access.js';
import { cardLink, finalText, optionsOf } from './rules.js';
import { compareText } from './compare-text.js';
import { listedPosts, type ListedPost } from './wire.js';

const PAGES_MAX = 3;

/** The account's post that is this item. */
export async function findPost(session: Session, item: PublishItem): AdapterResult<PublishedPart | null> {
  const accepted = takenPost(item.receipt);
  if (accepted !== null) return findTaken(session, accepted);
  const media = uploadedMediaIds(item);
  // All media is uploaded, and its URNs stored, before a post is sent.
  if (media === null) return ok(null);
  if (!canRead(session, 'r_member_social')) return readNotPermitted('post');
  const request = {
    path: '/rest/posts',
    query: { q: 'author', author: session.account.id, sortBy: 'CREATED', ...asAuthor },
    headers: { 'x-restli-method': 'FINDER' },
  };
  const recent = await findRecentPosts(item, (start) => listPage(session, request, listedPosts, start), {
    pagesMax: PAGES_MAX,
    newestFirst: true,
    createdAtOf: ({ createdAt }) => new Date(createdAt).toISOString(),
  });
  if (!recent.ok) return recent;
  const same = recent.value.filter((post) => matchesItem(post, item, media));
  if (same.length === 0 && recent.value.some((post) => isSimilar(post, item)))
    return refuse('platform.outcome_unknown', 'The account has since published a similar post.');
  const found = resolveSingleMatchWithOptions(same, (post) => hasRequestedOptions(post, item));
  if (!found.ok || !found.value) return found.ok ? ok(null) : found;
  return published(stateOf(found.value.lifecycleState), found.value.id);
}

/** The content below a text: its media, by their URNs. */
const mediaIn = ({ content }: ListedPost): readonly string[] =>
  (content?.multiImage?.images ?? (content?.media ? [content.media] : [])).map(({ id }) => id ?? '');

/** An upload belongs to one post alone. A post without any is identified by its text and links. */
function matchesItem(post: ListedPost, item: PublishItem, media: readonly string[]): boolean {
  const shown = mediaIn(post);
  if (shown.length !== media.length) return false;
  if (media.length > 0) return shown.every((id, at) => id === media[at]);
  const source = post.content?.article?.source ?? null;
  return (
    source === cardLink(item) && compareText(parseLittleText(post.commentary), plainTextOf(item)) === 'same'
  );
}

/** With the requested visibility and resharing, as far as LinkedIn reports them. */
function hasRequestedOptions(post: ListedPost, item: PublishItem): boolean {
  const { visibility, no_reposts: isReshareDisabled } = optionsOf(item);
  return (
    (post.visibility ?? visibility) === visibility &&
    (post.isReshareDisabledByAuthor ?? isReshareDisabled) === isReshareDisabled
  );
}

/**
 * The only differences are names and URLs that LinkedIn may have changed: then its absence is not certain.
 */
const isSimilar = (post: ListedPost, item: PublishItem): boolean =>
  mediaIn(post).length === item.mediaCount &&
  compareText(parseLittleText(post.commentary), plainTextOf(item)) !== 'other';

const plainTextOf = (item: PublishItem): string => parseLittleText(toLittleText(finalText(item)));
