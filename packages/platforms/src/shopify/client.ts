import {
  quotePlatform,
  refuse,
  type PlatformFailureCode,
  type PlatformRequest,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { refusal, unreadableResponse, type ErrorMapping } from '../kit/platform-client.js';
import { manifest } from './manifest.js';
import { envelope, httpError, type WireError } from './wire.js';

interface GraphqlQuery<Answer> {
  readonly document: string;
  readonly answer: z.ZodType<Answer>;
}

interface RequestOptions<Own> {
  readonly effect?: PlatformRequest['effect'];
  /** Answers for some of the errors first. `cost` is what Shopify says of points, with a throttled query too. */
  readonly onError?: (error: WireError, cost: QueryCost | undefined) => Own | undefined;
}

type GraphqlEnvelope = z.infer<typeof envelope>;
type QueryCost = NonNullable<NonNullable<GraphqlEnvelope['extensions']>['cost']>;

/** Fifty orders with everything that belongs to them stay below this. */
const BYTES_MAX = 16 * 1024 * 1024;
const PATH = `/admin/api/${manifest.apiVersion ?? ''}/graphql.json`;

/** What is found wrong before anything is executed. Any other error of a mutation may have come after its effect. */
const BEFORE_EXECUTION = new Set([
  'INVALID_VARIABLE',
  'argumentLiteralsIncompatible',
  'BAD_REQUEST',
  'MAX_COST_EXCEEDED',
  'missingRequiredArguments',
  'undefinedField',
]);

/** What is missing without harm: customers' data that the app is not approved for, locations that it may not see. */
const OPTIONAL_FIELDS = new Set(['customer', 'email', 'shippingAddress', 'billingAddress', 'location']);

/** An HTTP error has one sentence, or one by parameter: the shop is closed, gone, or the app may not do anything there. */
const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError({ json }) {
    const message = httpError.safeParse(json).data?.errors;
    return message ? { message } : null;
  },
  classify: ({ status }) => (status === 403 ? 'platform.permission_missing' : 'platform.refused'),
};

/** Asks the Admin API, which says nearly everything with status 200: that there was too much of it, too. */
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
  if (error) return onError?.(error, parsed.extensions?.cost ?? undefined) ?? toRefusal(error, parsed, effect);
  const read = question.answer.safeParse(parsed.data);
  if (read.success) return { ok: true, value: read.data };
  return errors[0] ? toRefusal(errors[0], parsed, effect) : unreadableResponse(manifest, effect);
}

/** Not every such error has a path, or a code. */
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
  // Whoever is told something of what a mutation made, with an error beside it, is not told that nothing was made.
  if (effect === 'write' && hasData(stated.data)) return unreadableResponse(manifest, effect);
  const code = extensions?.code ?? undefined;
  const platform = quotePlatform(manifest.name, message, code);
  if (code === 'THROTTLED') {
    return refuse('platform.rate_limited', 'Shopify asks to slow down.', {
      platform,
      retryAfterSeconds: secondsUntilRestored(stated),
    });
  }
  if (code === 'ACCESS_DENIED') {
    return refuse(
      'platform.permission_missing',
      'The app may not do this in the shop. Give it the permission in Shopify, then connect again.',
      { platform },
    );
  }
  if (code !== undefined && BEFORE_EXECUTION.has(code)) {
    return refuse('platform.refused', 'Shopify refused this. Its own words are quoted beside.', { platform });
  }
  if (code === 'INTERNAL_SERVER_ERROR' && effect === 'read') {
    return refuse('platform.unavailable', 'Shopify has a fault of its own. Try again.', { platform });
  }
  return unreadableResponse(manifest, effect);
}

const hasData = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && Object.values(data).some((value) => value !== null);

/** Until as many points have come back as the query asked for. */
function secondsUntilRestored({ extensions }: GraphqlEnvelope): number {
  const cost = extensions?.cost;
  if (!cost || cost.throttleStatus.restoreRate <= 0) return 1;
  const missing = cost.requestedQueryCost - cost.throttleStatus.currentlyAvailable;
  return Math.max(1, Math.ceil(missing / cost.throttleStatus.restoreRate));
}
