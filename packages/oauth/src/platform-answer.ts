import {
  ok,
  refuse,
  retryAfterOf,
  retryAfterSeconds,
  type OutboundAnswer,
  type OutboundOutcome,
  type PlatformAnswer,
  type PlatformRequest,
  type RequestFailureCode,
  type Result,
} from '@switchboard/domain';

/** What a request's outcome means for what was asked: the one place that decides between "not" and "perhaps". */
export function readOutcome(
  outcome: OutboundOutcome,
  { effect, everyAnswer = false }: Pick<PlatformRequest, 'effect' | 'everyAnswer'>,
  platform: string,
  now: Date,
): Result<PlatformAnswer, RequestFailureCode> {
  if (outcome.kind === 'not_sent') {
    if (outcome.reason === 'address_refused')
      return refuse('platform.address_refused', `The address of ${platform} may not be reached from here.`);
    if (outcome.reason === 'over_budget') return rateLimited(platform, outcome.retryAfterSeconds ?? 1);
    return unavailable(platform, outcome.retryAfterSeconds);
  }
  if (outcome.kind === 'unknown') {
    if (effect === 'write') return outcomeUnknown(platform);
    return outcome.reason === 'too_large' || outcome.reason === 'protocol'
      ? refuse('platform.invalid_response', `${platform} gave an answer that cannot be used.`)
      : unavailable(platform);
  }
  const retryAfter = outcome.headers['retry-after'];
  if (outcome.status === 429) {
    return rateLimited(platform, retryAfterSeconds(retryAfterOf(outcome.headers), now));
  }
  if (outcome.status >= 500 && !everyAnswer) {
    if (effect === 'write') return outcomeUnknown(platform);
    return unavailable(platform, retryAfter === undefined ? undefined : retryAfterSeconds(retryAfter, now));
  }
  return ok(platformAnswer(outcome));
}

const outcomeUnknown = (platform: string) =>
  refuse('platform.outcome_unknown', `${platform} did not say whether it was done. Do not send it again.`);

const rateLimited = (platform: string, seconds: number) =>
  refuse('platform.rate_limited', `${platform} asks to wait ${seconds} s.`, { retryAfterSeconds: seconds });

const unavailable = (platform: string, retryAfterSeconds?: number) =>
  refuse('platform.unavailable', `${platform} cannot be reached right now.`, { retryAfterSeconds });

export const platformAnswer = ({ status, headers, body }: OutboundAnswer): PlatformAnswer => ({
  status,
  ok: status >= 200 && status < 300,
  headers,
  body,
  json: jsonIn(body),
});

function jsonIn(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined;
  }
}
