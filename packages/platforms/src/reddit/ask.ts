import {
  ok,
  quotePlatform,
  refuse,
  type PlatformAnswer,
  type PlatformFailureCode,
  type PlatformRequest,
  type Refused,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { ask, unreadable, type Words } from '../kit/answers.js';
import { dialect, submitted, wordsOf } from './wire.js';

/** Texts as they were written: without it `&`, `<` and `>` come as HTML has them. */
const raw = { raw_json: 1 };

/** Asks for what is there. */
export const read = <Value, Own extends Result<unknown> = never>(
  session: Session,
  path: string,
  schema: z.ZodType<Value>,
  query: PlatformRequest['query'] = {},
  onRefusal?: (words: Words, answer: PlatformAnswer) => Own | undefined,
  maxBytes?: number,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  ask(
    session,
    dialect,
    { method: 'GET', path, query: { ...query, ...raw }, effect: 'read', maxBytes },
    schema,
    onRefusal,
  );

/** Submits something, and reads what came of it. `onError` may answer for some of the errors first. */
export async function submitTo<Value, Own extends Result<unknown> = never>(
  session: Session,
  request: Pick<PlatformRequest, 'path' | 'form' | 'json'>,
  schema: z.ZodType<Value>,
  onError?: (words: Words) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> {
  const asked = { ...request, method: 'POST', query: raw, effect: 'write', refusesCredential } as const;
  const said = await ask(session, dialect, asked, submitted);
  if (!said.ok) return said;
  const { errors, ratelimit, data } = said.value.json;
  if (errors[0]) {
    const words = wordsOf(errors[0]);
    return onError?.(words) ?? refused(words, ratelimit ?? null);
  }
  const parsed = schema.safeParse(data);
  return parsed.success ? ok(parsed.data) : unreadable(dialect, 'write');
}

/** “You must log in” is an error like any other. */
const refusesCredential = ({ json }: PlatformAnswer): boolean =>
  submitted.safeParse(json).data?.json.errors.some(([code]) => code === 'USER_REQUIRED') ?? false;

function refused(words: Words, ratelimit: number | null): Refused<PlatformFailureCode> {
  const platform = quotePlatform(dialect.name, words.message, words.code);
  if (words.code === 'RATELIMIT' || words.code === 'QUOTA_FILLED') {
    const retryAfterSeconds = waitSeconds(words.message, ratelimit);
    const sentence = `Reddit asks this account to wait ${retryAfterSeconds} s before it posts again.`;
    return refuse('platform.rate_limited', sentence, { retryAfterSeconds, platform });
  }
  return refuse('platform.refused', 'Reddit refused this. Its own words are quoted beside.', { platform });
}

const UNITS: Readonly<Record<string, number>> = { millisecond: 0.001, second: 1, minute: 60, hour: 3_600 };
const UNSAID_SECONDS = 600;
const DAY_SECONDS = 86_400;

/** Reddit says it in seconds, or only in words: “Take a break for 9 minutes before trying again.” */
export function waitSeconds(words: string, ratelimit: number | null): number {
  const [, many = '', unit = ''] = /\b(\d{1,4}|an?) (millisecond|second|minute|hour)s?\b/i.exec(words) ?? [];
  const said = (/^\d/.test(many) ? Number(many) : 1) * (UNITS[unit.toLowerCase()] ?? UNSAID_SECONDS);
  return Math.min(Math.ceil(ratelimit ?? said) + 1, DAY_SECONDS);
}
