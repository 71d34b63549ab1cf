import {
  ok,
  type PlatformAnswer,
  type PlatformFailureCode,
  type PlatformRequest,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { ask as askIn, refusal, type Words } from '../kit/answers.js';
import { dialect } from './wire.js';

/** What every request of the API carries. The older one, below `/v2`, has no versions. */
const withHeaders = (session: Session, request: PlatformRequest): PlatformRequest => ({
  ...request,
  headers: {
    ...request.headers,
    'x-restli-protocol-version': '2.0.0',
    ...(request.path.startsWith('/rest/') && { 'linkedin-version': session.apiVersion ?? '' }),
  },
});

export const ask = <Value, Own extends Result<unknown> = never>(
  session: Session,
  request: PlatformRequest,
  schema: z.ZodType<Value>,
  onRefusal?: (words: Words, answer: PlatformAnswer) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  askIn(session, dialect, withHeaders(session, request), schema, onRefusal);

/** For an answer of which only a header matters: its body is empty. */
export async function answerOf<Own extends Result<unknown> = never>(
  session: Session,
  request: PlatformRequest,
  onRefusal?: (words: Words) => Own | undefined,
): Promise<Result<PlatformAnswer, PlatformFailureCode> | Own> {
  const outcome = await session.request(withHeaders(session, request));
  if (!outcome.ok || outcome.value.ok) return outcome;
  const words = outcome.value.status < 500 ? dialect.words(outcome.value) : null;
  const own = words && onRefusal?.(words);
  return own ?? refusal(dialect, outcome.value, request.effect);
}

/** A URN in a path or in a query: Rest.li reads bare colons, commas and parentheses itself. */
export const inUrl = (urn: string): string =>
  encodeURIComponent(urn).replace(/[()]/g, (one) => (one === '(' ? '%28' : '%29'));

/** For a refusal that is as good as an answer. */
export const missing = (_words: Words, { status }: PlatformAnswer) => (status === 404 ? ok(null) : undefined);
