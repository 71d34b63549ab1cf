import {
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

/** What an ability answers. */
export type Answer<Value> = Promise<Result<Value, PlatformFailureCode>>;

/** A platform's refusal in its own words, as found in its error shape. */
export interface Words {
  readonly code?: string | undefined;
  readonly message: string;
}

/** How one platform says no. */
export interface Dialect {
  /** The platform's name, as people know it. */
  readonly name: string;
  /** The words of a refusal; null when the body does not have the platform's error shape, so that somebody else answered. */
  words(answer: PlatformAnswer): Words | null;
  /** What a refusal means to us. Most are `platform.refused`; `platform.rate_limited` is one that time alone mends. */
  meaning(
    answer: PlatformAnswer,
    words: Words,
  ): 'platform.refused' | 'platform.permission_missing' | 'platform.rate_limited' | 'connection.needs_reauth';
}

type Effect = PlatformRequest['effect'];

type OnRefusal<Own> = (words: Words, answer: PlatformAnswer) => Own | undefined;

/** Sends a request and reads its answer. `onRefusal` may answer for some of the refusals first (a 404 that means "none"). */
export const ask = <Value, Own extends Result<unknown> = never>(
  session: Session,
  dialect: Dialect,
  request: PlatformRequest,
  schema: z.ZodType<Value>,
  onRefusal?: OnRefusal<Own>,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  askFor(session, dialect, request, (answer) => readBody(dialect, answer, request.effect, schema), onRefusal);

/** For an answer of which only the headers matter. */
export const askAnswer = <Own extends Result<unknown> = never>(
  session: Session,
  dialect: Dialect,
  request: PlatformRequest,
  onRefusal?: OnRefusal<Own>,
): Promise<Result<PlatformAnswer, PlatformFailureCode> | Own> =>
  askFor(session, dialect, request, (answer) => ({ ok: true, value: answer }), onRefusal);

/** What is the same in all requests to one platform. */
interface Manner {
  /** What a request is sent as. */
  readonly asked?: (request: PlatformRequest, session: Session) => PlatformRequest;
  /** A refusal of which more can be said than its meaning; before `onRefusal`. */
  readonly explained?: (
    words: Words,
    answer: PlatformAnswer,
    session: Session,
  ) => Refused<PlatformFailureCode> | undefined;
}

/** `ask` and `askAnswer` of one platform. */
export function speaking(dialect: Dialect, { asked = (request) => request, explained }: Manner = {}) {
  const first =
    <Own>(session: Session, onRefusal: OnRefusal<Own> | undefined) =>
    (words: Words, answer: PlatformAnswer) =>
      explained?.(words, answer, session) ?? onRefusal?.(words, answer);
  return {
    ask: <Value, Own extends Result<unknown> = never>(
      session: Session,
      request: PlatformRequest,
      schema: z.ZodType<Value>,
      onRefusal?: OnRefusal<Own>,
    ): Promise<Result<Value, PlatformFailureCode> | Own> =>
      ask(session, dialect, asked(request, session), schema, first(session, onRefusal)),

    askAnswer: <Own extends Result<unknown> = never>(
      session: Session,
      request: PlatformRequest,
      onRefusal?: OnRefusal<Own>,
    ): Promise<Result<PlatformAnswer, PlatformFailureCode> | Own> =>
      askAnswer(session, dialect, asked(request, session), first(session, onRefusal)),
  };
}

async function askFor<Value, Own extends Result<unknown>>(
  session: Session,
  dialect: Dialect,
  request: PlatformRequest,
  read: (answer: PlatformAnswer) => Result<Value, PlatformFailureCode>,
  onRefusal?: OnRefusal<Own>,
): Promise<Result<Value, PlatformFailureCode> | Own> {
  const outcome = await session.request(request);
  if (!outcome.ok) return outcome;
  const answer = outcome.value;
  // Seen only by who asked for every answer.
  if (answer.status >= 500) return failed(dialect, request.effect);
  if (answer.ok) return read(answer);
  const words = refusalWords(dialect, answer);
  const own = words && onRefusal?.(words, answer);
  return own ?? refusal(dialect, answer, request.effect);
}

/** A success whose body does not parse is nonsense from a read, and of a write nobody knows what came of it. */
function readBody<Value>(
  dialect: Dialect,
  answer: PlatformAnswer,
  effect: Effect,
  schema: z.ZodType<Value>,
): Result<Value, PlatformFailureCode> {
  const parsed = schema.safeParse(answer.json);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : unreadable(dialect, effect, reasonOf(answer, parsed.error));
}

/** What is wrong with a body, without any value of it. */
function reasonOf({ json }: PlatformAnswer, { issues }: z.ZodError): string {
  if (json === undefined) return 'it is not JSON';
  const [first] = issues;
  return `${first?.path.join('.') || 'the body'}: ${first?.message ?? 'unexpected'}`;
}

export function refusal(
  dialect: Dialect,
  answer: PlatformAnswer,
  effect: Effect,
): Refused<PlatformFailureCode> {
  const words = refusalWords(dialect, answer);
  if (!words) return unreadable(dialect, effect);
  const platform = quotePlatform(dialect.name, words.message, words.code);
  const code = dialect.meaning(answer, words);
  return refuse(code, sentences[code](dialect.name), { platform });
}

const sentences = {
  'platform.refused': (name: string) => `${name} refused this. Its own words are quoted beside.`,
  'platform.permission_missing': (name: string) =>
    `The account's owner did not allow this at ${name}. Connect the account again and allow it.`,
  'platform.rate_limited': (name: string) =>
    `${name} takes no more of this for now. Its own words are quoted beside.`,
  'connection.needs_reauth': (name: string) =>
    `${name} does not accept the account's grant any more. Connect the account again.`,
};

/** Only a 4xx is a refusal, and 408 says that the server gave up waiting, not that it did nothing. */
const refusalWords = (dialect: Dialect, answer: PlatformAnswer): Words | null =>
  answer.status >= 400 && answer.status < 500 && answer.status !== 408 ? dialect.words(answer) : null;

/** The platform failed on the way: of a write it is unknown whether it happened. */
export function failed(
  { name }: Pick<Dialect, 'name'>,
  effect: Effect,
): Refused<'platform.outcome_unknown' | 'platform.unavailable'> {
  return effect === 'write'
    ? refuse('platform.outcome_unknown', `${name} failed on the way, so it may have happened.`)
    : refuse('platform.unavailable', `${name} cannot answer right now.`);
}

/** An answer nobody can read: of a write it is unknown whether it happened. */
export function unreadable(
  dialect: Pick<Dialect, 'name'>,
  effect: Effect,
  reason?: string,
): Refused<'platform.outcome_unknown' | 'platform.invalid_response'> {
  const why = reason === undefined ? '' : ` (${reason})`;
  return effect === 'write'
    ? refuse(
        'platform.outcome_unknown',
        `${dialect.name} gave an answer that cannot be read${why}, so it may have happened.`,
      )
    : refuse('platform.invalid_response', `${dialect.name} gave an answer that cannot be read${why}.`);
}
