import { ok, quotePlatform, refuse, type Refusal, type Result } from '@switchboard/domain';
import type {
  PlatformResponse,
  PlatformFailureCode,
  PlatformRequest,
  Session,
} from '@switchboard/domain/ports';
import { z } from 'zod';
import { parseResponse } from './parse-response.js';

/** The result of an ability. */
export type AdapterResult<Value> = Promise<Result<Value, PlatformFailureCode>>;

/** A platform's refusal with its original message, as found in its error format. */
export interface PlatformError {
  readonly code?: string | undefined;
  readonly message: string;
}

/** The error mapping of one platform: how it reports errors, and what they mean here. */
export interface ErrorMapping {
  /** The platform's display name. */
  readonly name: string;
  /**
   * Extracts the message of a refusal; null when the body does not have the platform's error format, so that
   * the response is not from the platform.
   */
  parseError(answer: PlatformResponse): PlatformError | null;
  /**
   * Maps a refusal to our error codes. Most are `platform.refused`; `platform.rate_limited` is one that only
   * time resolves.
   */
  classify(
    answer: PlatformResponse,
    words: PlatformError,
  ): 'platform.refused' | 'platform.permission_missing' | 'platform.rate_limited' | 'connection.needs_reauth';
}

type Effect = PlatformRequest['effect'];

/** A GET request that only reads, without the method and the effect; a string is its path. */
type ReadRequest =
  | string
  | (Omit<PlatformRequest, 'method' | 'effect' | 'json' | 'form' | 'body'> & {
      readonly method?: never;
      readonly effect?: never;
    });

export type AdapterRequest = ReadRequest | PlatformRequest;

/** Adds the method and the effect of a request that only reads. */
export function toPlatformRequest(request: AdapterRequest): PlatformRequest {
  if (typeof request === 'string') return { method: 'GET', path: request, effect: 'read' };
  return request.method === undefined ? { ...request, method: 'GET', effect: 'read' } : request;
}

type RefusalHandler<Own> = (words: PlatformError, answer: PlatformResponse) => Own | undefined;

/** For a refusal that means that the object does not exist. */
export const nullIfNotFound = (_words: unknown, { status }: Pick<PlatformResponse, 'status'>) =>
  status === 404 ? ok(null) : undefined;

/** The same for a platform that reports it with a code of its own. */
export const nullIfCode =
  (...codes: readonly string[]) =>
  ({ code = '' }: Pick<PlatformError, 'code'>) =>
    codes.includes(code) ? ok(null) : undefined;

/** Of a response that has nothing that the adapter needs. */
export const anyResponse = z.unknown();

/**
 * Sends a request and parses its response. `onRefusal` may handle refusals first (a 404 that means "none").
 */
export const requestJson = <Value, Own extends Result<unknown> = never>(
  session: Session,
  errorMapping: ErrorMapping,
  request: AdapterRequest,
  schema: z.ZodType<Value>,
  onRefusal?: RefusalHandler<Own>,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  sendRequest(
    session,
    errorMapping,
    toPlatformRequest(request),
    (response, effect) => parseBody(errorMapping, response, effect, schema),
    onRefusal,
  );

/** The common part of all requests to one platform. */
interface ClientOptions {
  /** Adds what every request to the platform has. */
  readonly prepareRequest?: (request: PlatformRequest, session: Session) => PlatformRequest;
  /** Handles refusals that need more than a mapped code; runs before `onRefusal`. */
  readonly explainError?: (
    words: PlatformError,
    answer: PlatformResponse,
    session: Session,
  ) => Refusal<PlatformFailureCode> | undefined;
}

/** `requestJson` and `requestResponse` bound to one platform. */
export function createPlatformClient(
  errorMapping: ErrorMapping,
  { prepareRequest = (request) => request, explainError }: ClientOptions = {},
) {
  const first =
    <Own>(session: Session, onRefusal: RefusalHandler<Own> | undefined) =>
    (words: PlatformError, response: PlatformResponse) =>
      explainError?.(words, response, session) ?? onRefusal?.(words, response);
  const clientJson = <Value, Own extends Result<unknown> = never>(
    session: Session,
    request: AdapterRequest,
    schema: z.ZodType<Value>,
    onRefusal?: RefusalHandler<Own>,
  ): Promise<Result<Value, PlatformFailureCode> | Own> => {
    const prepared = prepareRequest(toPlatformRequest(request), session);
    return requestJson(session, errorMapping, prepared, schema, first(session, onRefusal));
  };
  return {
    requestJson: clientJson,

    /** Whether an object exists, which a response with the schema proves. */
    exists: async (
      session: Session,
      request: AdapterRequest,
      schema: z.ZodType,
      onRefusal: RefusalHandler<Result<null, never>> = nullIfNotFound,
    ): AdapterResult<boolean> => {
      const seen = await clientJson(session, request, schema, onRefusal);
      return seen.ok ? ok(seen.value !== null) : seen;
    },

    /** Deletes an object. One that does not exist counts as deleted. */
    remove: async (
      session: Session,
      request: Pick<PlatformRequest, 'path' | 'query'>,
      onRefusal: RefusalHandler<Result<null, never>> = nullIfNotFound,
    ): AdapterResult<undefined> => {
      const deletion = { ...request, method: 'DELETE', effect: 'idempotent' } as const;
      const removed = await clientJson(session, deletion, anyResponse, onRefusal);
      return removed.ok ? ok() : removed;
    },

    /** For a response of which only the headers matter. */
    requestResponse: <Own extends Result<unknown> = never>(
      session: Session,
      request: AdapterRequest,
      onRefusal?: RefusalHandler<Own>,
    ): Promise<Result<PlatformResponse, PlatformFailureCode> | Own> => {
      const prepared = prepareRequest(toPlatformRequest(request), session);
      const read = (response: PlatformResponse) => ({ ok: true, value: response }) as const;
      return sendRequest(session, errorMapping, prepared, read, first(session, onRefusal));
    },
  };
}

async function sendRequest<Value, Own extends Result<unknown>>(
  session: Session,
  errorMapping: ErrorMapping,
  request: PlatformRequest,
  read: (response: PlatformResponse, effect: Effect) => Result<Value, PlatformFailureCode>,
  onRefusal?: RefusalHandler<Own>,
): Promise<Result<Value, PlatformFailureCode> | Own> {
  const outcome = await session.request(request);
  if (!outcome.ok) return outcome;
  const response = outcome.value;
  // Reached only by callers that requested every response.
  if (response.status >= 500) return serverFailure(errorMapping, request.effect);
  if (response.ok) return read(response, request.effect);
  const words = parseRefusal(errorMapping, response);
  const own = words && onRefusal?.(words, response);
  return own ?? refusal(errorMapping, response, request.effect);
}

/**
 * A success whose body cannot be parsed is an invalid response to a read and an unknown outcome of a write.
 */
function parseBody<Value>(
  errorMapping: ErrorMapping,
  response: PlatformResponse,
  effect: Effect,
  schema: z.ZodType<Value>,
): Result<Value, PlatformFailureCode> {
  const parsed = parseResponse(schema, response.json);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : unreadableResponse(errorMapping, effect, describeParseError(response, parsed.error));
}

/** Describes what is wrong with a body, without any value of it. */
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
  'platform.refused': (name: string) =>
    `${name} refused the request. See \`platform\` for its error message.`,
  'platform.permission_missing': (name: string) =>
    `The account owner has not granted this permission at ${name}. Reconnect the account and grant it.`,
  'platform.rate_limited': (name: string) =>
    `${name} is rate limiting this operation. See \`platform\` for its error message.`,
  'connection.needs_reauth': (name: string) =>
    `${name} no longer accepts the account's credentials. Reconnect the account.`,
};

/** Only a 4xx is a refusal, and 408 means that the server timed out, not that it did nothing. */
const parseRefusal = (errorMapping: ErrorMapping, response: PlatformResponse): PlatformError | null =>
  response.status >= 400 && response.status < 500 && response.status !== 408
    ? errorMapping.parseError(response)
    : null;

/** The platform failed while processing: the outcome of a write is unknown. */
export function serverFailure(
  { name }: Pick<ErrorMapping, 'name'>,
  effect: Effect,
): Refusal<'platform.outcome_unknown' | 'platform.unavailable'> {
  return effect === 'write'
    ? refuse(
        'platform.outcome_unknown',
        `${name} failed while processing the request. The outcome is unknown.`,
      )
    : refuse('platform.unavailable', `${name} is temporarily unavailable.`);
}

/** An unreadable response: the outcome of a write is unknown. */
export function unreadableResponse(
  errorMapping: Pick<ErrorMapping, 'name'>,
  effect: Effect,
  reason?: string,
): Refusal<'platform.outcome_unknown' | 'platform.invalid_response'> {
  const detail = reason === undefined ? '' : ` (${reason})`;
  return effect === 'write'
    ? refuse(
        'platform.outcome_unknown',
        `${errorMapping.name} returned an invalid response${detail}. The outcome is unknown.`,
      )
    : refuse('platform.invalid_response', `${errorMapping.name} returned an invalid response${detail}.`);
}
