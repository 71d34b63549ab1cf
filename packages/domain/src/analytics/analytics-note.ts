import type { Connection } from '../connections/connection.js';
import type { ConnectionId } from '../ids.js';
import type { AnalyticsNoteCode } from '../reason-codes.js';
import type { Result } from '../result.js';

/** Explains why a metric is outdated or incomplete. */
export interface AnalyticsNote {
  /** Null when the note concerns the whole report or a platform. */
  readonly connectionId: ConnectionId | null;
  /** Present when the note concerns a platform. */
  readonly platform?: string;
  readonly code: AnalyticsNoteCode;
  readonly message: string;
}

/** The note for the result of querying one account; null when there is nothing to report. */
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
      message:
        'The platform did not respond in time. The last known metrics are used; repeat the request for newer ones.',
    };
  }
  if (!outcome.ok) {
    const { code, message } = outcome.failure;
    return { connectionId, code, message: `${message} The last known metrics are used.` };
  }
  if (deferredPosts > 0) {
    return {
      connectionId,
      code: 'analytics.posts_waiting',
      message: `The metrics of ${deferredPosts} post(s) are missing or more than an hour old; repeat the request for newer ones.`,
    };
  }
  if (outcome.value.unknownPosts > 0) {
    return {
      connectionId,
      code: 'analytics.posts_missing',
      message: `The platform does not report ${outcome.value.unknownPosts} post(s): they were deleted there or are too recent. The last known metrics are used.`,
    };
  }
  return null;
}

export const tooManyPosts = (max: number): AnalyticsNote => ({
  connectionId: null,
  code: 'analytics.too_many_posts',
  message: `Only the newest ${max} posts of the range are included. Request a shorter range or fewer accounts.`,
});
