import {
  quotePlatform,
  refuse,
  type PlatformResponse,
  type PlatformFailureCode,
  type PlatformRequest,
  type Refusal,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';

/** What an ability answers. */
export type AdapterResult<Value> = Promise<Result<Value, PlatformFailureCode>>;

/** A platform's refusal in its own words, as found in its error shape. */
export interface PlatformError {
  readonly code?: string | undefined;
  readonly message: string;
}

/** How one platform says no. */
export interface ErrorMapping {
  /** The platform's name, as people know it. */
  readonly name: string;
  /** The words of a refusal; null when the body does not have the platform's error shape, so that somebody else answered. */
  parseError(answer: PlatformResponse): PlatformError | null;
  /** What a refusal means to us. Most are `platform.refused`; `platform.rate_limited` is one that time alone mends. */
  classify(
    answer: PlatformResponse,
    words: PlatformError,
  ): 'platform.refused' | 'platform.permission_missing' | 'platform.rate_limited' | 'connection.needs_reauth';
}

type Effect = PlatformRequest['effect'];

type RefusalHandler<Own> = (words: PlatformError, answer: PlatformResponse) => Own | undefined;

/** Sends a request and reads its answer. `onRefusal` may answer for some of the refusals first (a 404 that means "none"). */
export const requestJson = <Value, Own extends Result<unknown> = never>(
  session: Session,
  errorMapping: ErrorMapping,
  request: PlatformRequest,
  schema: z.ZodType<Value>,
  onRefusal?: RefusalHandler<Own>,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  sendRequest(
    session,
    errorMapping,
    request,
    (response) => parseBody(errorMapping, response, request.effect, schema),
    onRefusal,
  );

/** For an answer of which only the headers matter. */
export const requestResponse = <Own extends Result<unknown> = never>(
  session: Session,
  errorMapping: ErrorMapping,
  request: PlatformRequest,
  onRefusal?: RefusalHandler<Own>,
): Promise<Result<PlatformResponse, PlatformFailureCode> | Own> =>
  sendRequest(session, errorMapping, request, (response) => ({ ok: true, value: response }), onRefusal);

/** What is the same in all requests to one platform. */
interface ClientOptions {
  /** What a request is sent as. */
  readonly prepareRequest?: (request: PlatformRequest, session: Session) => PlatformRequest;
  /** A refusal of which more can be said than its meaning; before `onRefusal`. */
  readonly explainError?: (
    words: PlatformError,
    answer: PlatformResponse,
    session: Session,
  ) => Refusal<PlatformFailureCode> | undefined;
}

/** `ask` and `askAnswer` of one platform. */
export function createPlatformClient(
  errorMapping: ErrorMapping,
  { prepareRequest: asked = (request) => request, explainError: explained }: ClientOptions = {},
) {
  const first =
    <Own>(session: Session, onRefusal: RefusalHandler<Own> | undefined) =>
    (words: PlatformError, response: PlatformResponse) =>
      explained?.(words, response, session) ?? onRefusal?.(words, response);
  return {
    requestJson: <Value, Own extends Result<unknown> = never>(
      session: Session,
      request: PlatformRequest,
      schema: z.ZodType<Value>,
      onRefusal?: RefusalHandler<Own>,
    ): Promise<Result<Value, PlatformFailureCode> | Own> =>
      requestJson(session, errorMapping, asked(request, session), schema, first(session, onRefusal)),

    requestResponse: <Own extends Result<unknown> = never>(
      session: Session,
      request: PlatformRequest,
      onRefusal?: RefusalHandler<Own>,
    ): Promise<Result<PlatformResponse, PlatformFailureCode> | Own> =>
      requestResponse(session, errorMapping, asked(request, session), first(session, onRefusal)),
  };
}

async function sendRequest<Value, Own extends Result<unknown>>(
  session: Session,
  errorMapping: ErrorMapping,
  request: PlatformRequest,
  read: (answer: PlatformResponse) => Result<Value, PlatformFailureCode>,
  onRefusal?: RefusalHandler<Own>,
): Promise<Result<Value, PlatformFailureCode> | Own> {
  const outcome = await session.request(request);
  if (!outcome.ok) return outcome;
  const response = outcome.value;
  // Seen only by who asked for every answer.
  if (response.status >= 500) return serverFailure(errorMapping, request.effect);
  if (response.ok) return read(response);
  const words = parseRefusal(errorMapping, response);
  const own = words && onRefusal?.(words, response);
  return own ?? refusal(errorMapping, response, request.effect);
}

/** A success whose body does not parse is nonsense from a read, and of a write nobody knows what came of it. */
function parseBody<Value>(
  errorMapping: ErrorMapping,
  response: PlatformResponse,
  effect: Effect,
  schema: z.ZodType<Value>,
): Result<Value, PlatformFailureCode> {
  const parsed = schema.safeParse(response.json);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : unreadableResponse(errorMapping, effect, describeParseError(response, parsed.error));
}

/** What is wrong with a body, without any value of it. */
function describeParseError({ json }: PlatformResponse, { issues }: z.ZodError): string {
  if (json === undefined) return 'it is not JSON';
  const [first] = issues;
  return `${first?.path.join('.') || 'the body'}: ${first?.message ?? 'unexpected'}`;
}

export function refusal(
  errorMapping: ErrorMapping,
  response: PlatformResponse,
  effect: Effect,
): Refusal<PlatformFailureCode> {
  const words = parseRefusal(errorMapping, response);
  if (!words) return unreadableResponse(errorMapping, effect);
  const platform = quotePlatform(errorMapping.name, words.message, words.code);
  const code = errorMapping.classify(response, words);
  return refuse(code, refusalMessages[code](errorMapping.name), { platform });
}

const refusalMessages = {
  'platform.refused': (name: string) => `${name} refused this. Its own words are quoted beside.`,
  'platform.permission_missing': (name: string) =>
    `The account's owner did not allow this at ${name}. Connect the account again and allow it.`,
  'platform.rate_limited': (name: string) =>
    `${name} takes no more of this for now. Its own words are quoted beside.`,
  'connection.needs_reauth': (name: string) =>
    `${name} does not accept the account's grant any more. Connect the account again.`,
};

/** Only a 4xx is a refusal, and 408 says that the server gave up waiting, not that it did nothing. */
const parseRefusal = (errorMapping: ErrorMapping, response: PlatformResponse): PlatformError | null =>
  response.status >= 400 && response.status < 500 && response.status !== 408
    ? errorMapping.parseError(response)
    : null;

/** The platform failed on the way: of a write it is unknown whether it happened. */
export function serverFailure(
  { name }: Pick<ErrorMapping, 'name'>,
  effect: Effect,
): Refusal<'platform.outcome_unknown' | 'platform.unavailable'> {
  return effect === 'write'
    ? refuse('platform.outcome_unknown', `${name} failed on the way, so it may have happened.`)
    : refuse('platform.unavailable', `${name} cannot answer right now.`);
}

/** An answer nobody can read: of a write it is unknown whether it happened. */
export function unreadableResponse(
  errorMapping: Pick<ErrorMapping, 'name'>,
  effect: Effect,
  reason?: string,
): Refusal<'platform.outcome_unknown' | 'platform.invalid_response'> {
  const why = reason === undefined ? '' : ` (${reason})`;
  return effect === 'write'
    ? refuse(
        'platform.outcome_unknown',
        `${errorMapping.name} gave an answer that cannot be read${why}, so it may have happened.`,
      )
    : refuse('platform.invalid_response', `${errorMapping.name} gave an answer that cannot be read${why}.`);
}
