import type { Session, PlatformFailureCode } from './session.js';
import type { Result } from '../result.js';
import type { Metrics } from '../analytics/metrics.js';

/** A post in an account's own list at the platform. */
export interface ListedPost {
  /** As `publish` would have returned it. */
  readonly externalId: string;
  readonly publishedAt: Date;
  readonly url: string | null;
  readonly text: string;
  /** All metrics that `ofPosts` would read; null where the list does not contain them. */
  readonly metrics: Metrics | null;
}

export interface ListedPostsPage {
  readonly posts: readonly ListedPost[];
  /** The cursor of the next page; null if there is none. */
  readonly next: string | null;
}

export interface PostsPageRequest {
  /** Null for the newest posts. */
  readonly cursor: string | null;
  /** Posts published before then may be left out, for a platform that charges for each post. */
  readonly since: Date | null;
}

export interface Analytics {
  /**
   * Lifetime metrics of published posts, by their external id. Unreported metrics are null; a deleted post is
   * omitted.
   */
  ofPosts(
    session: Session,
    externalIds: readonly string[],
  ): Promise<Result<ReadonlyMap<string, Metrics>, PlatformFailureCode>>;
  ofAccount?(session: Session): Promise<Result<Metrics, PlatformFailureCode>>;
  /**
   * A page of the posts of the account, newest first, without replies and reposts. Omitted where the platform
   * lists none; the manifest has `postList` where it is present.
   */
  listPosts?(session: Session, page: PostsPageRequest): Promise<Result<ListedPostsPage, PlatformFailureCode>>;
}
