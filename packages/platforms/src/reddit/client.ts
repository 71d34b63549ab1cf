import {
  ok,
  quotePlatform,
  refuse,
  type Refusal,
  type Result,
  type PlatformResponse,
  type PlatformFailureCode,
  type PlatformRequest,
  type Session,
} from '@switchboard/platform-kit';
import type { z } from 'zod';
import { unreadableResponse, type PlatformError } from '@switchboard/platform-kit/platform-client';
import { errorMapping, requestJson, submitted, toPlatformError } from './wire.js';

/** Texts as written: without it `&`, `<` and `>` are returned as HTML entities. */
const RAW_JSON = { raw_json: 1 };

export const readJson = <Value, Own extends Result<unknown> = never>(
  session: Session,
  path: string,
  schema: z.ZodType<Value>,
  query: PlatformRequest['query'] = {},
  onRefusal?: (words: PlatformError, answer: PlatformResponse) => Own | undefined,
  maxBytes?: number,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  requestJson(session, { path, query: { ...query, ...RAW_JSON }, maxBytes }, schema, onRefusal);

/** Submits a form and parses the result. `onError` may handle errors first. */
export async function submitForm<Value, Own extends Result<unknown> = never>(
  session: Session,
  request: Pick<PlatformRequest, 'path' | 'form' | 'json'>,
  schema: z.ZodType<Value>,
  onError?: (words: PlatformError) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> {
  const requested = {
    ...request,
    method: 'POST',
    query: RAW_JSON,
    effect: 'write',
    isCredentialRejected,
  } as const;
  const stated = await requestJson(session, requested, submitted);
  if (!stated.ok) return stated;
  const { errors, ratelimit, data } = stated.value.json;
  if (errors[0]) {
    const words = toPlatformError(errors[0]);
    return onError?.(words) ?? toRefusal(words, ratelimit ?? null);
  }
  const parsed = schema.safeParse(data);
  return parsed.success ? ok(parsed.data) : unreadableResponse(errorMapping, 'write');
}

/** “You must log in” has the format of any other error. */
const isCredentialRejected = ({ json }: PlatformResponse): boolean =>
  submitted.safeParse(json).data?.json.errors.some(([code]) => code === 'USER_REQUIRED') ?? false;

function toRefusal(words: PlatformError, ratelimit: number | null): Refusal<PlatformFailureCode> {
  const platform = quotePlatform(errorMapping.name, words.message, words.code);
  if (words.code === 'RATELIMIT' || words.code === 'QUOTA_FILLED') {
    const retryAfterSeconds = parseWaitSeconds(words.message, ratelimit);
    const sentence = `Reddit is rate limiting this account. Retry after ${retryAfterSeconds} s.`;
    return refuse('platform.rate_limited', sentence, { retryAfterSeconds, platform });
  }
  return refuse('platform.refused', 'Reddit refused the request. See `platform` for its error message.', {
    platform,
  });
}

const UNITS: Readonly<Record<string, number>> = { millisecond: 0.001, second: 1, minute: 60, hour: 3_600 };
const DEFAULT_WAIT_SECONDS = 600;
const DAY_SECONDS = 86_400;

/**
 * Reddit reports it in seconds, or only in its message: “Take a break for 9 minutes before trying again.”
 */
export function parseWaitSeconds(words: string, ratelimit: number | null): number {
  const [, many = '', unit = ''] = /\b(\d{1,4}|an?) (millisecond|second|minute|hour)s?\b/i.exec(words) ?? [];
  const stated = (/^\d/.test(many) ? Number(many) : 1) * (UNITS[unit.toLowerCase()] ?? DEFAULT_WAIT_SECONDS);
  return Math.min(Math.ceil(ratelimit ?? stated) + 1, DAY_SECONDS);
}
