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

/** What an account gained on one of its own calendar days (`2026-03-01`). */
export interface DayMetrics {
  readonly date: string;
  readonly metrics: Metrics;
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
   * What the account gained on each day between two dates, both inclusive, where the platform keeps the days of an
   * account, such as the views of a location. A day without metrics yet is omitted. Since version 1.4 of the kit.
   */
  ofDays?(
    session: Session,
    range: { readonly from: string; readonly to: string },
  ): Promise<Result<readonly DayMetrics[], PlatformFailureCode>>;
  /**
   * A page of the posts of the account, newest first, without replies and reposts. Omitted where the platform
   * lists none; the manifest has `postList` where it is present.
   */
  listPosts?(session: Session, page: PostsPageRequest): Promise<Result<ListedPostsPage, PlatformFailureCode>>;
}

/** The analytics of a platform that has no metrics of posts. Since version 1.4 of the kit. */
export interface AccountAnalytics extends Pick<Analytics, 'ofAccount' | 'ofDays'> {
  readonly ofPosts?: undefined;
  readonly listPosts?: undefined;
}
