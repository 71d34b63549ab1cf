import {
  ok,
  quotePlatform,
  refuse,
  type PlatformAnswer,
  type PlatformFailureCode,
  type PlatformRequest,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { ask as askIn, askAnswer, type Words } from '../kit/answers.js';
import { dialect } from './wire.js';

const OUTDATED_SECONDS = 3_600;

/** What every request of the API carries. The older one, below `/v2`, has no versions. */
const withHeaders = (session: Session, request: PlatformRequest): PlatformRequest => ({
  ...request,
  headers: {
    ...request.headers,
    'x-restli-protocol-version': '2.0.0',
    ...(request.path.startsWith('/rest/') && { 'linkedin-version': session.apiVersion ?? '' }),
  },
});

type OnRefusal<Own> = (words: Words, answer: PlatformAnswer) => Own | undefined;

/** A version that is over is no fault of what was asked, and mended by whoever runs this: it is asked again until then. */
const orOutdated =
  <Own extends Result<unknown>>({ apiVersion }: Session, onRefusal: OnRefusal<Own> | undefined) =>
  (words: Words, answer: PlatformAnswer) => {
    if (answer.status !== 426) return onRefusal?.(words, answer);
    return refuse(
      'platform.unavailable',
      `LinkedIn does not answer to version ${apiVersion} of its API. Whoever runs this service sets another one.`,
      {
        platform: quotePlatform(dialect.name, words.message, words.code),
        retryAfterSeconds: OUTDATED_SECONDS,
      },
    );
  };

export const ask = <Value, Own extends Result<unknown> = never>(
  session: Session,
  request: PlatformRequest,
  schema: z.ZodType<Value>,
  onRefusal?: OnRefusal<Own>,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  askIn(session, dialect, withHeaders(session, request), schema, orOutdated(session, onRefusal));

/** For an answer of which only a header matters: its body is empty. */
export const answerOf = <Own extends Result<unknown> = never>(
  session: Session,
  request: PlatformRequest,
  onRefusal?: OnRefusal<Own>,
): Promise<Result<PlatformAnswer, PlatformFailureCode> | Own> =>
  askAnswer(session, dialect, withHeaders(session, request), orOutdated(session, onRefusal));

/** A URN in a path or in a query: Rest.li reads bare colons, commas and parentheses itself. */
export const inUrl = (urn: string): string =>
  encodeURIComponent(urn).replace(/[()]/g, (one) => (one === '(' ? '%28' : '%29'));

/** For a refusal that is as good as an answer. */
export const missing = (_words: Words, { status }: PlatformAnswer) => (status === 404 ? ok(null) : undefined);
