import type { Session, PlatformFailureCode } from './session.js';
import type { Result } from '../result.js';
import type { Metrics } from '../analytics/metrics.js';

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
}
