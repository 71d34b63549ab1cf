import { ok, refuse, retryAfterOf, retryAfterSeconds, type Result } from '@switchboard/domain';
import type {
  OutboundResponse,
  OutboundOutcome,
  PlatformResponse,
  PlatformRequest,
  RequestFailureCode,
} from '@switchboard/domain/ports';
import { parseJson } from './parse-json.js';

/**
 * Maps the outcome of a request to the result of the operation: the only place that distinguishes "not done"
 * from "outcome unknown".
 */
export function interpretOutcome(
  outcome: OutboundOutcome,
  { effect, acceptsErrorStatuses = false }: Pick<PlatformRequest, 'effect' | 'acceptsErrorStatuses'>,
  platform: string,
  now: Date,
): Result<PlatformResponse, RequestFailureCode> {
  if (outcome.kind === 'not_sent') {
    if (outcome.reason === 'address_refused')
      return refuse('platform.address_refused', `Requests to ${platform} are not allowed.`);
    if (outcome.reason === 'over_budget') return refuseRateLimited(platform, outcome.retryAfterSeconds ?? 1);
    return refuseUnavailable(platform, outcome.retryAfterSeconds);
  }
  if (outcome.kind === 'unknown') {
    if (effect === 'write') return refuseOutcomeUnknown(platform);
    return outcome.reason === 'too_large' || outcome.reason === 'protocol'
      ? refuse('platform.invalid_response', `Invalid response from ${platform}.`)
      : refuseUnavailable(platform);
  }
  const retryAfter = outcome.headers['retry-after'];
  if (outcome.status === 429) {
    return refuseRateLimited(platform, retryAfterSeconds(retryAfterOf(outcome.headers), now));
  }
  if (outcome.status >= 500 && !acceptsErrorStatuses) {
    if (effect === 'write') return refuseOutcomeUnknown(platform);
    return refuseUnavailable(
      platform,
      retryAfter === undefined ? undefined : retryAfterSeconds(retryAfter, now),
    );
  }
  return ok(toPlatformResponse(outcome));
}

const refuseOutcomeUnknown = (platform: string) =>
  refuse(
    'platform.outcome_unknown',
    `${platform} did not confirm the outcome. Do not send the request again.`,
  );

const refuseRateLimited = (platform: string, seconds: number) =>
  refuse('platform.rate_limited', `${platform} is rate limiting requests. Retry after ${seconds} s.`, {
    retryAfterSeconds: seconds,
  });

const refuseUnavailable = (platform: string, retryAfterSeconds?: number) =>
  refuse('platform.unavailable', `${platform} cannot be reached right now.`, { retryAfterSeconds });

export const toPlatformResponse = ({ status, headers, body }: OutboundResponse): PlatformResponse => ({
  status,
  ok: status >= 200 && status < 300,
  headers,
  body,
  json: parseJson(body),
});
