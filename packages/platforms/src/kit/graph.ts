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
import { z } from 'zod';
import { requestJson, type ErrorMapping } from './platform-client.js';
import type { ListedPage } from './find-recent-posts.js';

/**
 * What the platforms of Meta say alike: Facebook, Instagram and Threads.
 * https://developers.facebook.com/docs/graph-api/guides/error-handling and …/overview/rate-limiting, read on 2026-11-22.
 */
export interface GraphError {
  readonly code: number;
  readonly subcode: number | null;
  /** For people, where there are such words: in whatever language. */
  readonly message: string;
  /** For programs. */
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

/** Of Facebook and Instagram, which end together; Threads counts its own. https://developers.facebook.com/docs/graph-api/changelog */
export const graphVersion = { apiVersion: 'v25.0', apiVersionEndsOn: '2028-07-29' } as const;

/** The token has ended, or its owner took it back. */
const CREDENTIAL_CODES = new Set([102, 190]);
/** Of an app, of a user, of a page, of one's own making; from 80000 on of one line of business. */
const RATE_LIMIT_CODES = new Set([4, 9, 17, 32, 341, 613]);
const isRateLimitCode = (code: number) => RATE_LIMIT_CODES.has(code) || (code >= 80_000 && code <= 80_014);
/** Down for a while: nothing is said about whether it was done. */
const OUTAGE_CODES = new Set([-2, -1, 1, 2]);
const isPermissionCode = (code: number) => code === 10 || (code >= 200 && code <= 299);
/** It takes what is done for spam and says so although it may have been done (gitroomhq/postiz-app#1681). */
const isSpamBlock = ({ code, subcode }: GraphError) => code === 368 || subcode === 2_207_051;

/** There is no such thing, or none that this login may see. Meta never says which of the two. */
export const isMissing = ({ code, subcode }: GraphError): boolean =>
  (code === 100 && subcode === 33) || code === 24 || code === 803;

/** Null: somebody else answered. */
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

/** Sends a request to a platform of Meta and reads its answer. `onRefusal` may answer for some of the refusals first. */
export function requestGraph<Value, Own extends Result<unknown> = never>(
  session: Session,
  name: string,
  request: PlatformRequest,
  schema: z.ZodType<Value>,
  onRefusal?: (error: GraphError) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> {
  const requested = { ...request, path: withApiVersion(session, request.path), refusesCredential };
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

/** `askGraph` of one platform. */
export const createGraphClient =
  (name: string) =>
  <Value, Own extends Result<unknown> = never>(
    session: Session,
    request: PlatformRequest,
    schema: z.ZodType<Value>,
    onRefusal?: (error: GraphError) => Own | undefined,
  ): Promise<Result<Value, PlatformFailureCode> | Own> =>
    requestGraph(session, name, request, schema, onRefusal);

/** Below the version that this installation asks for; an address that the platform told has its own. */
const withApiVersion = ({ apiVersion }: Session, path: string): string =>
  apiVersion === null || !path.startsWith('/') ? path : `/${apiVersion}${path}`;

/** Meta says with a 400 what others say with a 401. */
export const refusesCredential = (response: PlatformResponse): boolean =>
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

/** What may go well later; undefined: a refusal that stays one. */
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
    const sentence = `${name} did not say whether it was done. Do not send it again.`;
    return refuse('platform.outcome_unknown', sentence, { platform });
  }
  if (!isLimited) return refuse('platform.unavailable', `${name} cannot do this right now.`, { platform });
  const retryAfterSeconds = parseWaitSeconds(headers);
  const sentence = `${name} asks to wait ${retryAfterSeconds} s.`;
  return refuse('platform.rate_limited', sentence, { retryAfterSeconds, platform });
}

const DAY_SECONDS = 86_400;
/** Where nothing is said. What is counted is counted over an hour, and asking on makes it longer. */
const DEFAULT_WAIT_SECONDS = 600;

const usage = z.record(
  z.string(),
  z.array(z.object({ estimated_time_to_regain_access: z.number().nonnegative().nullish() })),
);

/** `X-Business-Use-Case-Usage` says in minutes when calls are let through again, for each line of business. */
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

/** A page of a list; the last has none after it. */
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
