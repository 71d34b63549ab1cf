import type { Connection } from '../connections/connection.js';
import type {
  ListedPost,
  Platform,
  PlatformFailureCode,
  PostListFacts,
  Ports,
  Session,
} from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { BEFORE_ALL_POSTS, type ExternalPost, type PostListing } from './external-post.js';
import type { Metrics } from './metrics.js';

export interface ListingRequest {
  readonly listing: PostListing;
  /** Posts published since then are needed. */
  readonly since: Date;
}

/** A stored post of a page. */
export interface ListedExternalPost {
  readonly post: ExternalPost;
  readonly isNew: boolean;
  readonly metrics: Metrics | null;
}

type ListingPorts = Pick<Ports, 'clock' | 'ids' | 'transactions'>;

/** A platform may show a post later than it was published. */
const OVERLAP_MS = 86_400_000;
const FRESH_MS = 3_600_000;
const TEXT_MAX = 500;

/** Whether the platform is queried: newest posts were listed more than an hour ago, or older ones are missing. */
export const needsListing = ({ listing, since }: ListingRequest, now: Date): boolean =>
  isOutdated(listing, now) || (isIncomplete(listing, since) && !listing.limited);

const isOutdated = ({ listedAt }: PostListing, now: Date): boolean =>
  listedAt === null || now.getTime() - listedAt.getTime() > FRESH_MS;

/** Whether posts published since then are not all listed. */
export const isIncomplete = ({ knownSince }: PostListing, since: Date): boolean =>
  knownSince === null || knownSince > since;

/**
 * Lists the newest posts of an account until they join those already known, then older ones from where the last
 * list ended, within the pages that one report may read. Every page is stored when it arrives: what a failure
 * or timeout interrupts is continued by the next request.
 */
export async function listAccountPosts(
  ports: ListingPorts,
  connection: Connection,
  session: Session,
  {
    analytics,
    facts,
  }: {
    readonly analytics: Pick<NonNullable<Platform['analytics']>, 'listPosts'>;
    readonly facts: PostListFacts;
  },
  { listing, since }: ListingRequest,
  onPosts: (posts: readonly ListedExternalPost[]) => void,
): Promise<Result<undefined, PlatformFailureCode>> {
  let current = listing;
  let pages = facts.pages;
  const now = ports.clock.now();

  async function readPage(cursor: string | null, after: Date | null) {
    pages--;
    return analytics.listPosts?.(session, { cursor, since: after }) ?? ok({ posts: [], next: null });
  }
  async function store(posts: readonly ListedPost[], next: PostListing): Promise<void> {
    const known = new Map(posts.map((post) => [post.externalId, post]));
    const rows = [...known.values()].map((post) => toExternalPost(ports, connection, post));
    const created = new Set(rows.map(({ id }) => id));
    const saved = await ports.transactions.run(async (tx) => ok(await tx.externalPosts.save(next, rows)));
    current = next;
    if (!saved.ok) return;
    onPosts(
      saved.value.map((post) => ({
        post,
        isNew: created.has(post.id),
        metrics: known.get(post.externalId)?.metrics ?? null,
      })),
    );
  }

  if (isOutdated(current, now) || needsRestart(current, since)) {
    const joinAt = joinTime(current, since);
    let cursor: string | null = null;
    let count = 0;
    while (pages > 0 && !session.signal.aborted) {
      const page = await readPage(cursor, joinAt);
      if (!page.ok) return page;
      const { posts, next } = page.value;
      count += posts.length;
      cursor = next;
      const oldest = posts.at(-1)?.publishedAt ?? null;
      const isJoined = joinAt !== null && (next === null || (oldest !== null && oldest < joinAt));
      if (isJoined) {
        await store(posts, { ...current, listedAt: now, listedCount: current.listedCount + count });
        break;
      }
      const isLast = next === null || pages === 0 || (joinAt === null && oldest !== null && oldest < since);
      if (!isLast) {
        // Until the list joins what is known, a gap would follow.
        await store(posts, current);
        continue;
      }
      await store(posts, {
        ...current,
        listedAt: now,
        ...endAt(facts, { oldest: oldest ?? current.knownSince ?? now, next, count }),
        listedCount: count,
      });
      break;
    }
  }
  while (
    isIncomplete(current, since) &&
    current.resumeCursor !== null &&
    pages > 0 &&
    !session.signal.aborted
  ) {
    const page = await readPage(current.resumeCursor, null);
    if (!page.ok) {
      // The platform may have forgotten the cursor: the next request lists from the newest post again.
      await store([], { ...current, resumeCursor: null });
      return page;
    }
    const { posts, next } = page.value;
    const count = current.listedCount + posts.length;
    const oldest = posts.at(-1)?.publishedAt ?? current.knownSince ?? now;
    await store(posts, { ...current, ...endAt(facts, { oldest, next, count }), listedCount: count });
  }
  return ok();
}

/** Older posts are needed, and there is no cursor to them. */
const needsRestart = (listing: PostListing, since: Date): boolean =>
  isIncomplete(listing, since) && listing.resumeCursor === null && !listing.limited;

/** Where the newest posts join those already known; null where none are, or where all are listed again. */
function joinTime(listing: PostListing, since: Date): Date | null {
  const { listedAt, knownSince } = listing;
  if (listedAt === null || knownSince === null || needsRestart(listing, since)) return null;
  return new Date(Math.max(listedAt.getTime() - OVERLAP_MS, knownSince.getTime()));
}

function endAt(
  { postsMax }: PostListFacts,
  { oldest, next, count }: { readonly oldest: Date; readonly next: string | null; readonly count: number },
): Pick<PostListing, 'knownSince' | 'resumeCursor' | 'limited'> {
  if (next !== null) return { knownSince: oldest, resumeCursor: next, limited: false };
  const isLimited = postsMax !== null && count >= postsMax;
  return { knownSince: isLimited ? oldest : BEFORE_ALL_POSTS, resumeCursor: null, limited: isLimited };
}

const toExternalPost = (
  { ids }: Pick<Ports, 'ids'>,
  { workspaceId, id: connectionId }: Connection,
  { externalId, publishedAt, url, text }: ListedPost,
): ExternalPost => ({
  id: ids.next('ext'),
  workspaceId,
  connectionId,
  externalId,
  publishedAt,
  url,
  // PostgreSQL stores neither a null character nor half of a surrogate pair.
  text: text.replaceAll('\0', '').slice(0, TEXT_MAX).toWellFormed(),
});
