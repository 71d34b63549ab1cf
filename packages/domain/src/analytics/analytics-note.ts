import type { Connection } from '../connections/connection.js';
import type { ConnectionId } from '../ids.js';
import type { MetricsOutcome } from './fetch-metrics.js';
import type { AnalyticsNoteCode } from '../reason-codes.js';
import type { Result } from '../result.js';
import { BASELINE_DAYS } from './gains.js';
import { LIVE_POSTS_MAX, STALE_POSTS_MAX } from './snapshot-schedule.js';

/** Explains why a metric is outdated or incomplete. */
export interface AnalyticsNote {
  /** Null when the note concerns the whole report or a platform. */
  readonly connectionId: ConnectionId | null;
  /** Present when the note concerns a platform. */
  readonly platform?: string;
  readonly code: AnalyticsNoteCode;
  readonly message: string;
}

/** The notes for the result of querying one account. */
export function describeOutcome(
  {
    connection: { id: connectionId },
    deferredPosts,
  }: { readonly connection: Connection; readonly deferredPosts: number },
  outcome: Result<MetricsOutcome> | 'out_of_time',
): readonly AnalyticsNote[] {
  const { listingFailure = null } = outcome !== 'out_of_time' && outcome.ok ? outcome.value : {};
  const note = describeMetrics(connectionId, deferredPosts, outcome);
  return [
    ...(listingFailure
      ? [
          {
            connectionId,
            code: listingFailure.code,
            message: `${listingFailure.message} Posts made elsewhere are included as last listed.`,
          },
        ]
      : []),
    ...(note ? [note] : []),
  ];
}

function describeMetrics(
  connectionId: ConnectionId,
  deferredByPlan: number,
  outcome: Result<MetricsOutcome> | 'out_of_time',
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
  const deferredPosts = deferredByPlan + outcome.value.deferredPosts;
  if (deferredPosts > 0) {
    return {
      connectionId,
      code: 'analytics.posts_waiting',
      message: `The metrics of ${deferredPosts >= STALE_POSTS_MAX - LIVE_POSTS_MAX ? 'at least ' : ''}${deferredPosts} post(s) are missing or more than an hour old; repeat the request for newer ones.`,
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

/** Explains what activity does and does not include: each fact once. */
export function describeActivity({
  decreased,
  withoutBaseline,
}: {
  readonly decreased: number;
  readonly withoutBaseline: number;
}): readonly AnalyticsNote[] {
  return [
    ...(decreased > 0
      ? [
          {
            connectionId: null,
            code: 'analytics.decreased' as const,
            message: `Counts of ${decreased} post(s) or account(s) decreased, because reactions were deleted or the platform corrected them: decreases count as negative.`,
          },
        ]
      : []),
    ...(withoutBaseline > 0
      ? [
          {
            connectionId: null,
            code: 'analytics.no_baseline' as const,
            message: `${withoutBaseline} post(s) or account(s) have no snapshot within ${BASELINE_DAYS} days before their first one in the range: what they gained before it is unknown and not included.`,
          },
        ]
      : []),
  ];
}
