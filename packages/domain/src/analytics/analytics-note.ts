import type { Connection } from '../connections/connection.js';
import type { FailureCode } from '../failure.js';
import type { ConnectionId } from '../ids.js';
import type { Result } from '../result.js';

/** Why a number is older or smaller than it could be. */
export interface AnalyticsNote {
  /** Null when it is about the whole report. */
  readonly connectionId: ConnectionId | null;
  readonly code:
    | FailureCode
    | 'analytics.out_of_time'
    | 'analytics.posts_missing'
    | 'analytics.posts_waiting'
    | 'analytics.too_many_posts';
  readonly message: string;
}

/** What became of asking one account; null when there is nothing to tell. */
export function describeOutcome(
  {
    connection: { id: connectionId },
    deferredPosts,
  }: { readonly connection: Connection; readonly deferredPosts: number },
  outcome: Result<{ readonly unknownPosts: number }> | 'out_of_time',
): AnalyticsNote | null {
  if (outcome === 'out_of_time') {
    return {
      connectionId,
      code: 'analytics.out_of_time',
      message: 'The platform took too long. The last known numbers are counted; ask again for newer ones.',
    };
  }
  if (!outcome.ok) {
    const { code, message } = outcome.failure;
    return { connectionId, code, message: `${message} The last known numbers are counted.` };
  }
  if (deferredPosts > 0) {
    return {
      connectionId,
      code: 'analytics.posts_waiting',
      message: `The numbers of ${deferredPosts} post(s) are missing or older than an hour; ask again for newer ones.`,
    };
  }
  if (outcome.value.unknownPosts > 0) {
    return {
      connectionId,
      code: 'analytics.posts_missing',
      message: `The platform does not know ${outcome.value.unknownPosts} post(s): deleted there, or too new. The last known numbers are counted.`,
    };
  }
  return null;
}

export const tooManyPosts = (max: number): AnalyticsNote => ({
  connectionId: null,
  code: 'analytics.too_many_posts',
  message: `Only the newest ${max} posts of the range are counted. Ask for a shorter range or for fewer accounts.`,
});
