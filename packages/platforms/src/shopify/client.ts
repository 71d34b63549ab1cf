import {
  quotePlatform,
  refuse,
  type Result,
  type PlatformFailureCode,
  type PlatformRequest,
  type Session,
} from '@switchboard/platform-kit';
import { parseResponse } from '@switchboard/platform-kit/parse-response';
import type { z } from 'zod';
import { refusal, unreadableResponse, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';
import { envelope, httpError, type WireError } from './wire.js';

interface GraphqlQuery<Answer> {
  readonly document: string;
  readonly answer: z.ZodType<Answer>;
}

interface RequestOptions<Own> {
  readonly effect?: PlatformRequest['effect'];
  /** Handles some of the errors first. `cost` is Shopify's report of points, also of a throttled query. */
  readonly onError?: (error: WireError, cost: QueryCost | undefined) => Own | undefined;
}

type GraphqlEnvelope = z.infer<typeof envelope>;
type QueryCost = NonNullable<NonNullable<GraphqlEnvelope['extensions']>['cost']>;

/** Fifty orders with all their related objects stay below this size. */
const BYTES_MAX = 16 * 1024 * 1024;
const PATH = `/admin/api/${manifest.apiVersion ?? ''}/graphql.json`;

/** Errors found before execution. Any other error of a mutation may have occurred after its effect. */
const BEFORE_EXECUTION = new Set([
  'INVALID_VARIABLE',
  'argumentLiteralsIncompatible',
  'BAD_REQUEST',
  'MAX_COST_EXCEEDED',
  'missingRequiredArguments',
  'undefinedField',
]);

/**
 * Fields that may be missing: customer data for which the app is not approved, locations that it may not see.
 */
const OPTIONAL_FIELDS = new Set(['customer', 'email', 'shippingAddress', 'billingAddress', 'location']);

/**
 * An HTTP error has one message, or one per parameter: the shop is closed, gone, or the app may not access
 * it.
 */
const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError({ json }) {
    const message = httpError.safeParse(json).data?.errors;
    return message ? { message } : null;
  },
  classify: ({ status }) => (status === 403 ? 'platform.permission_missing' : 'platform.refused'),
};

/**
 * Sends a request to the Admin API, which reports nearly everything with status 200, including rate limiting.
 */
export async function requestGraphql<Answer, Own extends Result<unknown> = never>(
  session: Session,
  question: GraphqlQuery<Answer>,
  variables: Readonly<Record<string, unknown>> = {},
  { effect = 'read', onError }: RequestOptions<Own> = {},
): Promise<Result<Answer, PlatformFailureCode> | Own> {
  const outcome = await session.request({
    method: 'POST',
    path: PATH,
    json: { query: question.document, variables },
    effect,
    maxBytes: BYTES_MAX,
  });
  if (!outcome.ok) return outcome;
  if (!outcome.value.ok) return refusal(errorMapping, outcome.value, effect);
  const parsed = envelope.safeParse(outcome.value.json).data;
  if (!parsed) return unreadableResponse(manifest, effect);
  const errors = parsed.errors ?? [];
  const error = errors.find((one) => !isIgnorableError(one));
  if (error)
    return onError?.(error, parsed.extensions?.cost ?? undefined) ?? toRefusal(error, parsed, effect);
  const read = parseResponse(question.answer, parsed.data);
  if (read.success) return { ok: true, value: read.data };
  return errors[0] ? toRefusal(errors[0], parsed, effect) : unreadableResponse(manifest, effect);
}

/** Not every such error has a path or a code. */
function isIgnorableError({ path, message, extensions }: WireError): boolean {
  if (message.includes('not approved to access the Customer object')) return true;
  const [, field] = /^Access denied for (\w+) field/.exec(message) ?? [];
  const parts = path?.map(String) ?? (field === undefined ? [] : [field]);
  return extensions?.code === 'ACCESS_DENIED' && parts.some((part) => OPTIONAL_FIELDS.has(part));
}

function toRefusal(
  { message, extensions }: WireError,
  stated: GraphqlEnvelope,
  effect: PlatformRequest['effect'],
): Result<never, PlatformFailureCode> {
  // A response with data of a mutation and an error is never reported as without effect.
  if (effect === 'write' && hasData(stated.data)) return unreadableResponse(manifest, effect);
  const code = extensions?.code ?? undefined;
  const platform = quotePlatform(manifest.name, message, code);
  if (code === 'THROTTLED') {
    return refuse('platform.rate_limited', 'Shopify is rate limiting the app.', {
      platform,
      retryAfterSeconds: secondsUntilRestored(stated),
    });
  }
  if (code === 'ACCESS_DENIED') {
    return refuse(
      'platform.permission_missing',
      'The app lacks the permission in the shop. Grant it in Shopify, then reconnect.',
      { platform },
    );
  }
  if (code !== undefined && BEFORE_EXECUTION.has(code)) {
    return refuse('platform.refused', 'Shopify refused the request. See `platform` for its error message.', {
      platform,
    });
  }
  if (code === 'INTERNAL_SERVER_ERROR' && effect === 'read') {
    return refuse('platform.unavailable', 'Shopify has an internal error. Retry.', { platform });
  }
  return unreadableResponse(manifest, effect);
}

const hasData = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && Object.values(data).some((value) => value !== null);

/** The time until the points that the query costs are restored. */
function secondsUntilRestored({ extensions }: GraphqlEnvelope): number {
  const cost = extensions?.cost;
  if (!cost || cost.throttleStatus.restoreRate <= 0) return 1;
  const missing = cost.requestedQueryCost - cost.throttleStatus.currentlyAvailable;
  return Math.max(1, Math.ceil(missing / cost.throttleStatus.restoreRate));
}
