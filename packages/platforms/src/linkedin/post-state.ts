import {
  ok,
  quotePlatform,
  refuse,
  type Result,
  type PlatformFailureCode,
  type PublishedPart,
  type Session,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { waitUntilPublished } from '@switchboard/platform-kit/wait-until-published';
import { requestJson, encodeUrn } from './client.js';
import { canRead, readingNotPermitted } from './read-access.js';
import { errorMapping, postState } from './wire.js';

/** The delay before each poll, in milliseconds: a minute in total. A longer wait is continued by `find`. */
const POLL_DELAYS_MS: readonly number[] = [0, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** The receipt key with the URN of a post that LinkedIn has accepted. Nothing is sent after that. */
const POST = 'post';
export const takenPost = (receipt: Readonly<Record<string, string>>): string | null => receipt[POST] ?? null;
export const receiptOfTaken = (urn: string) => ({ [POST]: urn });

/**
 * The view of a request for posts: `AUTHOR` includes those that LinkedIn is still publishing or could not
 * publish.
 */
const asAuthor = { viewContext: 'AUTHOR' } as const;

/** The posts of the account, those created last first. */
export const ownPostsRequest = ({ account }: Session) => ({
  path: '/rest/posts',
  query: { q: 'author', author: account.id, sortBy: 'CREATED', ...asAuthor },
  headers: { 'x-restli-method': 'FINDER' },
});

export const partOf = (urn: string): PublishedPart => ({
  externalId: urn,
  url: `https://www.linkedin.com/feed/update/${urn}/`,
  receipt: {},
});

/** LinkedIn's state of a post: `unknown` is any other value, or none. */
type PostState = 'published' | 'publishing' | 'failed' | 'unknown';

const STATES: Readonly<Record<string, PostState>> = {
  PUBLISHED: 'published',
  PUBLISH_REQUESTED: 'publishing',
  PUBLISH_FAILED: 'failed',
};
export const stateOf = (lifecycleState: string | null | undefined): PostState =>
  STATES[lifecycleState ?? ''] ?? 'unknown';

/** Null: LinkedIn returns no post for this URN. `unreadable`: not for this login. */
async function look(session: Session, urn: string): AdapterResult<PostState | 'unreadable' | null> {
  if (!canRead(session, 'r_member_social')) return ok('unreadable');
  const seen = await requestJson(
    session,
    { path: `/rest/posts/${encodeUrn(urn)}`, query: asAuthor },
    postState,
    (_words, { status }) => {
      if (status === 403) return ok('unreadable' as const);
      return status === 404 ? ok(null) : undefined;
    },
  );
  if (!seen.ok || seen.value === null || seen.value === 'unreadable') return seen;
  return ok(stateOf(seen.value.lifecycleState));
}

/**
 * Waits until LinkedIn reports the outcome of a post that it has accepted: it may be published later, or
 * never. For a login that may not read posts, the response to the request, a 201 with the URN of a post that
 * was sent as `PUBLISHED`, is the only evidence.
 */
export const settled = (
  session: Session,
  urn: string,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<PublishedPart> =>
  waitUntilPublished(session, {
    name: errorMapping.name,
    delaysMs,
    async look() {
      const seen = await look(session, urn);
      if (!seen.ok) return seen;
      if (seen.value === 'published' || seen.value === 'unreadable') return ok(ok(partOf(urn)));
      return ok(seen.value === 'failed' ? notPublished : null);
    },
  });

/** The outcome of a post whose URN an earlier attempt received. */
export async function findTaken(session: Session, urn: string): AdapterResult<PublishedPart> {
  const seen = await look(session, urn);
  if (!seen.ok) return seen;
  return seen.value === 'unreadable' ? ok(partOf(urn)) : published(seen.value, urn);
}

export async function postExists(session: Session, urn: string): AdapterResult<boolean> {
  const seen = await look(session, urn);
  if (!seen.ok) return seen;
  return seen.value === 'unreadable' ? readingNotPermitted('post') : ok(seen.value !== null);
}

/** Only a `published` post is visible. */
export function published(state: PostState | null, urn: string): Result<PublishedPart, PlatformFailureCode> {
  if (state === 'published') return ok(partOf(urn));
  return state === 'publishing'
    ? refuse('platform.unavailable', 'LinkedIn is still publishing the post.', { retryAfterSeconds: 60 })
    : refuse('platform.outcome_unknown', 'LinkedIn has the post but does not report it as published.');
}

const notPublished = refuse('platform.refused', 'LinkedIn accepted the post but could not publish it.', {
  platform: quotePlatform(errorMapping.name, 'lifecycleState: PUBLISH_FAILED', 'PUBLISH_FAILED'),
});
