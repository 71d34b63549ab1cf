import {
  quotePlatform,
  refuse,
  type Refusal,
  type Result,
  type PlatformResponse,
  type PlatformFailureCode,
  type PlatformRequest,
  type Session,
} from '@switchboard/platform-kit';
import { z } from 'zod';
import {
  requestJson,
  toPlatformRequest,
  type AdapterRequest,
  type ErrorMapping,
} from '@switchboard/platform-kit/platform-client';
import type { ListedPage } from '@switchboard/platform-kit/find-recent-posts';

/**
 * The error format that Meta's platforms share: Facebook, Instagram and Threads.
 * https://developers.facebook.com/docs/graph-api/guides/error-handling and …/overview/rate-limiting, read on
 * 2026-11-22.
 */
export interface GraphError {
  readonly code: number;
  readonly subcode: number | null;
  /** For users, if present, in any language. */
  readonly message: string;
  /** For developers. */
  readonly rawMessage: string;
  readonly isTransient: boolean;
}

const errorBody = z.object({
  error: z.object({
    message: z.string(),
    code: z.int(),
    error_subcode: z.int().nullish().catch(null),
    error_user_msg: z.string().nullish().catch(null),
    is_transient: z.boolean().nullish().catch(null),
  }),
});

/**
 * Of Facebook and Instagram, whose versions end together; Threads has its own.
 * https://developers.facebook.com/docs/graph-api/changelog
 */
export const graphVersion = { apiVersion: 'v25.0', apiVersionEndsOn: '2028-07-29' } as const;

/** The token has expired, or its owner revoked it. */
const CREDENTIAL_CODES = new Set([102, 190]);
/** Rate limits of an app, a user, a page, or a custom limit; from 80000 on of a business use case. */
const RATE_LIMIT_CODES = new Set([4, 9, 17, 32, 341, 613]);
const isRateLimitCode = (code: number) => RATE_LIMIT_CODES.has(code) || (code >= 80_000 && code <= 80_014);
/** Temporarily unavailable: the outcome is not reported. */
const OUTAGE_CODES = new Set([-2, -1, 1, 2]);
const isPermissionCode = (code: number) => code === 10 || (code >= 200 && code <= 299);
/** Blocked as spam, although the request may have been executed (gitroomhq/postiz-app#1681). */
const isSpamBlock = ({ code, subcode }: GraphError) => code === 368 || subcode === 2_207_051;

/** The object does not exist or is not visible to this login. Meta never distinguishes the two. */
export const isMissing = ({ code, subcode }: GraphError): boolean =>
  (code === 100 && subcode === 33) || code === 24 || code === 803;

/** Null: the response is not from Meta. */
export function parseGraphError({ json }: Pick<PlatformResponse, 'json'>): GraphError | null {
  const parsedBody = errorBody.safeParse(json).data?.error;
  if (!parsedBody) return null;
  const { code, error_subcode: subcode, error_user_msg: forPeople, is_transient: isTransient } = parsedBody;
  const message = forPeople || parsedBody.message;
  return {
    code,
    subcode: subcode ?? null,
    message,
    rawMessage: parsedBody.message,
    isTransient: isTransient ?? false,
  };
}

/** Sends a request to a platform of Meta and parses its response. `onRefusal` may handle refusals first. */
export function requestGraph<Value, Own extends Result<unknown> = never>(
  session: Session,
  name: string,
  asked: AdapterRequest,
  schema: z.ZodType<Value>,
  onRefusal?: (error: GraphError) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> {
  const request = toPlatformRequest(asked);
  const requested = { ...request, path: withApiVersion(session, request.path), isCredentialRejected };
  const answers = (response: PlatformResponse): Own | Refusal<PlatformFailureCode> | undefined => {
    const error = parseGraphError(response);
    return error
      ? (onRefusal?.(error) ?? mapTransientError(name, error, response, request.effect))
      : undefined;
  };
  return requestJson(session, errorMappingOf(name), requested, schema, (_words, response) =>
    answers(response),
  );
}

/** `askGraph` bound to one platform. */
export const createGraphClient =
  (name: string) =>
  <Value, Own extends Result<unknown> = never>(
    session: Session,
    request: AdapterRequest,
    schema: z.ZodType<Value>,
    onRefusal?: (error: GraphError) => Own | undefined,
  ): Promise<Result<Value, PlatformFailureCode> | Own> =>
    requestGraph(session, name, request, schema, onRefusal);

/** Prefixed with the API version of this installation; a URL returned by the platform contains its own. */
const withApiVersion = ({ apiVersion }: Session, path: string): string =>
  apiVersion === null || !path.startsWith('/') ? path : `/${apiVersion}${path}`;

/** Meta responds with 400 where others respond with 401. */
export const isCredentialRejected = (response: PlatformResponse): boolean =>
  !response.ok && CREDENTIAL_CODES.has(parseGraphError(response)?.code ?? 0);

const errorMappingOf = (name: string): ErrorMapping => ({
  name,
  parseError(response) {
    const error = parseGraphError(response);
    return error && { code: codeOf(error), message: error.message };
  },
  classify(response) {
    const code = parseGraphError(response)?.code ?? 0;
    return isPermissionCode(code) ? 'platform.permission_missing' : 'platform.refused';
  },
});

const codeOf = ({ code, subcode }: GraphError) => (subcode === null ? String(code) : `${code}/${subcode}`);

/** A refusal that a retry may resolve; undefined: a permanent refusal. */
function mapTransientError(
  name: string,
  error: GraphError,
  { headers }: PlatformResponse,
  effect: PlatformRequest['effect'],
): Refusal<PlatformFailureCode> | undefined {
  const isBlockedNow = isSpamBlock(error);
  const isLimited = isBlockedNow || isRateLimitCode(error.code);
  if (!isLimited && !OUTAGE_CODES.has(error.code) && !error.isTransient) return undefined;
  const platform = quotePlatform(name, error.message, codeOf(error));
  if (effect === 'write' && (isBlockedNow || !isLimited)) {
    const sentence = `${name} did not report the outcome. Do not retry before checking the account.`;
    return refuse('platform.outcome_unknown', sentence, { platform });
  }
  if (!isLimited) return refuse('platform.unavailable', `${name} is temporarily unavailable.`, { platform });
  const retryAfterSeconds = parseWaitSeconds(headers);
  const sentence = `${name} is rate limiting this account. Retry after ${retryAfterSeconds} s.`;
  return refuse('platform.rate_limited', sentence, { retryAfterSeconds, platform });
}

const DAY_SECONDS = 86_400;
/** The default delay. Calls are counted over an hour, and further requests extend the limit. */
const DEFAULT_WAIT_SECONDS = 600;

const usage = z.record(
  z.string(),
  z.array(z.object({ estimated_time_to_regain_access: z.number().nonnegative().nullish() })),
);

/**
 * `X-Business-Use-Case-Usage` states in minutes when calls are accepted again, for each business use case.
 */
export function parseWaitSeconds(headers: PlatformResponse['headers']): number {
  const parsedBody = usage.safeParse(parseJson(headers['x-business-use-case-usage'])).data ?? {};
  const minutes = Object.values(parsedBody).flatMap((ones) =>
    ones.map((one) => one.estimated_time_to_regain_access ?? 0),
  );
  const seconds = 60 * Math.max(0, ...minutes);
  return Math.min(seconds > 0 ? Math.ceil(seconds) : DEFAULT_WAIT_SECONDS, DAY_SECONDS);
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** A page of a list; the last has no next page. */
export const graphList = <One>(one: z.ZodType<One>) =>
  z.object({
    data: z.array(one),
    paging: z.object({ cursors: z.object({ after: z.string().nullish() }).nullish() }).nullish(),
  });

export const graphPage = <One>({ data, paging }: GraphList<One>): ListedPage<One> => ({
  found: data,
  next: data.length === 0 ? undefined : (paging?.cursors?.after ?? undefined),
});

export type GraphList<One> = z.infer<ReturnType<typeof graphList<One>>>;
