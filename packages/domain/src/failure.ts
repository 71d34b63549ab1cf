import { nextCall, type NextCall } from './next-call.js';
import { refuseWith, type Refusal } from './result.js';

/**
 * The categories that transports map to status codes. A new failure code never changes a transport: it
 * selects one of these.
 */
export type FailureKind =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media'
  | 'invalid'
  | 'unsupported'
  | 'rate_limited'
  | 'internal'
  | 'upstream'
  | 'unavailable';

export type WhoCanFix = 'caller' | 'account_owner' | 'operator' | 'platform';

/**
 * Whether the requested action took effect: `unknown` means that it must not be sent again before its outcome
 * has been looked up.
 */
export type Effect = 'none' | 'applied' | 'unknown';

interface FailureFacts {
  readonly kind: FailureKind;
  readonly title: string;
  readonly whoCanFix: WhoCanFix;
  readonly retryable: boolean;
  readonly effect: Effect;
}

const facts = (kind: FailureKind, title: string, more: Partial<FailureFacts> = {}): FailureFacts => ({
  kind,
  title,
  whoCanFix: 'caller',
  retryable: kind === 'rate_limited' || kind === 'unavailable',
  effect: 'none',
  ...more,
});
const missing = (thing: string): FailureFacts => facts('not_found', `No such ${thing}`);

/**
 * The table of all failures: code → kind, title and who can fix it. `docs/generated/errors.md` is generated
 * from it.
 */
export const failures = {
  'request.invalid': facts('malformed', 'The request is invalid'),
  'request.malformed_json': facts('malformed', 'The body is not valid JSON'),
  'request.invalid_cursor': facts('malformed', 'The cursor is invalid for this request'),
  'request.too_large': facts('too_large', 'The body is too large'),
  'request.unsupported_media_type': facts('unsupported_media', 'The content type is not supported'),
  'request.precondition_failed': facts('precondition_failed', 'The resource was changed since it was read'),
  'request.origin_not_allowed': facts('forbidden', 'The host or origin is not allowed', {
    whoCanFix: 'operator',
  }),
  'route.not_found': facts('not_found', 'No such route'),
  'route.method_not_allowed': facts('method_not_allowed', 'The method is not allowed here'),
  'rate_limit.exceeded': facts('rate_limited', 'Too many requests'),
  'internal.error': facts('internal', 'Internal error', {
    whoCanFix: 'operator',
    retryable: true,
  }),
  'service.unavailable': facts('unavailable', 'Service temporarily unavailable', {
    whoCanFix: 'operator',
  }),

  'auth.invalid_key': facts('unauthenticated', 'The API key is invalid'),
  'key.scope_missing': facts('forbidden', 'The key lacks a scope', { whoCanFix: 'operator' }),
  'tool.hidden': facts('forbidden', 'The tool is hidden by read-only mode or by a toolset', {
    whoCanFix: 'operator',
  }),
  'key.scope_exceeded': facts('forbidden', 'A key cannot grant scopes it does not hold'),
  'key.policy_exceeded': facts('forbidden', 'A key cannot widen its own policy'),
  'key.policy_unsupported': facts('unsupported', 'This version cannot enforce the policy'),
  'key.delegation_too_deep': facts('invalid', 'Key delegation is too deep'),
  'key.rotated': facts('conflict', 'The key was rotated'),
  'key.ended': facts('conflict', 'The key is revoked or expired'),
  'key.refund_ceiling_exceeded': facts('forbidden', 'The refund exceeds the key’s refund ceiling'),

  'idempotency.key_reused': facts('invalid', 'The idempotency key was used for another request'),
  'idempotency.in_progress': facts('conflict', 'A request with this idempotency key is still running', {
    retryable: true,
  }),

  'workspace.not_found': missing('workspace'),
  'workspace.name_taken': facts('conflict', 'The name is taken'),
  'profile.not_found': missing('profile'),
  'platform.not_found': missing('platform'),
  'platform_app.not_found': missing('app at the platform'),
  'connection.not_found': missing('connection'),
  'connect_session.not_found': missing('connect session'),
  'post.not_found': missing('post'),
  'delivery.not_found': missing('delivery'),
  'media.not_found': missing('media'),
  'order.not_found': missing('order'),
  'quote.not_found': missing('quote'),
  'refund.not_found': missing('refund'),
  'approval.not_found': missing('approval'),
  'webhook.not_found': missing('webhook'),
  'key.not_found': missing('key'),

  'profile.in_use': facts('conflict', 'The profile is in use'),
  'profile.is_default': facts('conflict', 'The default profile cannot be deleted'),

  'connect.profile_required': facts('invalid', 'profile_id is required'),
  'connect.return_url_not_allowed': facts('invalid', 'The return URL is not on the workspace’s list'),
  'connect.answer_invalid': facts('invalid', 'A form value is invalid'),
  'connect.choice_invalid': facts('invalid', 'The selection of accounts is invalid', {
    whoCanFix: 'account_owner',
  }),
  'connect.denied': facts('invalid', 'The account owner denied access', { whoCanFix: 'account_owner' }),
  'connect.wrong_account': facts('invalid', 'Wrong account', { whoCanFix: 'account_owner' }),
  'connect.exchange_failed': facts('upstream', 'The platform did not complete the connection', {
    whoCanFix: 'platform',
  }),
  'connect.nothing_to_choose': facts('invalid', 'The login has no account to connect', {
    whoCanFix: 'account_owner',
  }),
  'connection.exists': facts('conflict', 'The account is already connected to this profile'),
  'connection.needs_reauth': facts('conflict', 'The account must be reconnected', {
    whoCanFix: 'account_owner',
  }),

  'post.profile_required': facts('invalid', 'profile_id is required'),
  'post.target_ambiguous': facts('invalid', 'Several connections match the target'),
  'post.no_targets': facts('invalid', 'No connection to publish to'),
  'post.invalid': facts('invalid', 'The post is invalid for at least one target'),
  'post.timezone_required': facts('invalid', 'timezone is required'),
  'post.time_nonexistent': facts('invalid', 'The local time does not exist'),
  'post.time_ambiguous': facts('invalid', 'The local time is ambiguous'),
  'post.time_past': facts('invalid', 'The time is in the past'),
  'post.time_too_far': facts('invalid', 'The time is too far in the future'),
  'post.possible_duplicate': facts('conflict', 'The same post already exists'),
  'post.already_published': facts('conflict', 'Publishing has already started'),
  'post.cancelled': facts('conflict', 'The post was cancelled'),
  'post.outcome_unknown': facts('conflict', 'Publishing outcome unknown', { effect: 'unknown' }),
  'post.unpublish_unsupported': facts('unsupported', 'The platform cannot delete posts'),
  'delivery.settled': facts('conflict', 'The delivery is already settled'),
  'post.missed': facts('invalid', 'Publish window missed'),

  'media.type_unsupported': facts('unsupported_media', 'Files of this type cannot be posted'),
  'media.unreadable': facts('invalid', 'The file cannot be read'),
  'media.not_as_announced': facts('invalid', 'The file does not match the announced type or size'),
  'media.already_uploaded': facts('conflict', 'The file has already been uploaded'),
  'media.in_use': facts('conflict', 'The media is in use by a post'),
  'media.url_invalid': facts('invalid', 'The URL cannot be downloaded'),
  'media.fetch_failed': facts('upstream', 'The file could not be downloaded'),
  'media.processing': facts('unavailable', 'The media is still being processed'),
  'media.failed': facts('invalid', 'The media cannot be used'),
  'media.lost': facts('internal', 'The stored file is missing or corrupted', { whoCanFix: 'operator' }),

  'orders.currency_required': facts('invalid', 'currency is required'),
  'orders.all_sources_failed': facts('upstream', 'No store responded', {
    whoCanFix: 'platform',
    retryable: true,
  }),

  'quote.expired': facts('conflict', 'The quote has expired'),
  'quote.changed': facts('conflict', 'The order has changed since it was quoted'),
  'refund.extent_required': facts('invalid', 'The extent of the refund is required'),
  'refund.extent_conflict': facts('invalid', 'The extent of the refund is specified more than once'),
  'refund.currency_mismatch': facts('invalid', 'The currency does not match the order'),
  'refund.offline_only': facts('invalid', 'This payment cannot be refunded through the store'),
  'refund.unsupported_option': facts('unsupported', 'The store does not support this option'),
  'refund.exceeds_refundable': facts('invalid', 'The amount exceeds what is still refundable'),
  'refund.refundable_changed': facts('conflict', 'The refundable amount has changed'),
  'refund.in_progress': facts('conflict', 'Another refund of this order is in progress', { retryable: true }),
  'refund.in_doubt': facts('conflict', 'The outcome of an earlier refund is unknown'),
  'refund.possible_duplicate': facts('conflict', 'Possible duplicate refund'),
  'refund.refused': facts('invalid', 'The store rejected the refund', { whoCanFix: 'platform' }),
  'refund.unclear': facts('upstream', 'Refund outcome requires manual review', {
    whoCanFix: 'account_owner',
    effect: 'unknown',
  }),
  'refund.not_confirmed': facts('conflict', 'The refund was not confirmed'),
  'refund.settled': facts('conflict', 'The refund is already settled'),

  'platform.not_configured': facts('invalid', 'The platform is not configured', { whoCanFix: 'operator' }),
  'platform.app_unsupported': facts('unsupported', 'The platform does not support custom apps'),
  'platform.refused': facts('invalid', 'The platform rejected the request', { whoCanFix: 'caller' }),
  'platform.duplicate_content': facts('conflict', 'The platform already has the same post'),
  'platform.permission_missing': facts('invalid', 'A permission is missing', {
    whoCanFix: 'account_owner',
  }),
  'platform.address_refused': facts('invalid', 'The address is not allowed'),
  'platform.unavailable': facts('unavailable', 'The platform cannot be reached', { whoCanFix: 'platform' }),
  'platform.rate_limited': facts('unavailable', 'Rate limited by the platform', { whoCanFix: 'platform' }),
  'platform.outcome_unknown': facts('upstream', 'Outcome unknown', {
    whoCanFix: 'platform',
    effect: 'unknown',
  }),
  'platform.invalid_response': facts('upstream', 'Invalid response from the platform', {
    whoCanFix: 'platform',
  }),

  'vault.unavailable': facts('unavailable', 'The vault is unavailable', { whoCanFix: 'operator' }),
  'vault.rotation_refused': facts('conflict', 'The master keys cannot be rotated now', {
    whoCanFix: 'operator',
  }),
  'vault.unreadable': facts('internal', 'A sealed secret cannot be opened', { whoCanFix: 'operator' }),
} as const satisfies Record<string, FailureFacts>;

export type FailureCode = keyof typeof failures;

/** One invalid input field: its path (dotted, as the caller wrote it), what is wrong, and how to fix it. */
export interface Problem {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  /** Valid values. The labels are third-party text. */
  readonly candidates?: readonly { readonly value: string; readonly label: string }[] | undefined;
  /** As in a failure of the same code. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** A platform's own message, quoted. It is untrusted data and never part of a message of this service. */
export interface PlatformQuote {
  readonly name: string;
  readonly code?: string | undefined;
  readonly message: string;
}

interface FailureExtras {
  /** Details of this failure, defined in `SPEC.md` 4; keys in camelCase here, snake_case on the wire. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly problems?: readonly Problem[] | undefined;
  readonly candidates?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** The most helpful next call. */
  readonly next?: NextCall | undefined;
  /**
   * An alternative for callers that cannot make the `next` call: it reads what `next` would change, or lists
   * what `next` reads.
   */
  readonly fallback?: NextCall | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly platform?: PlatformQuote | undefined;
  /** Set only when it differs from the table. */
  readonly effect?: Effect | undefined;
  readonly whoCanFix?: WhoCanFix | undefined;
  readonly retryable?: boolean | undefined;
  /** The refusal of an earlier request, replayed. */
  readonly replayed?: boolean | undefined;
}

export interface Failure<Code extends FailureCode = FailureCode> extends FailureExtras {
  readonly code: Code;
  /** One or two sentences that say what to do. Never a platform's message, a secret, SQL or a stack trace. */
  readonly message: string;
}

export const failure = <Code extends FailureCode>(
  code: Code,
  message: string,
  extras: FailureExtras = {},
): Failure<Code> => ({ ...extras, code, message });

/** Shorthand for the common `return refuse('profile.not_found', '…')`. */
export const refuse = <Code extends FailureCode>(
  code: Code,
  message: string,
  extras: FailureExtras = {},
): Refusal<Code> => refuseWith(failure(code, message, extras));

/** One refusal for missing, foreign and malformed ids, so that it does not reveal which one applies. */
export const notFound = <Thing extends NotFoundResource>(thing: Thing): Refusal<`${Thing}.not_found`> =>
  refuse(`${thing}.not_found`, `There is no ${thing.replace('_', ' ')} with this id in your workspace.`, {
    next: listCalls[thing],
  });

type NotFoundResource = {
  [Code in FailureCode]: Code extends `${infer Thing}.not_found`
    ? Thing extends 'route'
      ? never
      : Thing
    : never;
}[FailureCode];

/** The call that lists the existing resources. */
const listCalls: Readonly<Partial<Record<NotFoundResource, NextCall>>> = {
  platform: nextCall.listPlatforms(),
  profile: nextCall.listProfiles(),
  connection: nextCall.listConnections(),
  post: nextCall.listPosts(),
  delivery: nextCall.listPosts(),
  media: nextCall.listMedia(),
  order: nextCall.listOrders(),
  quote: nextCall.listOrders(),
  refund: nextCall.listRefunds(),
  key: nextCall.listKeys(),
};

const PLATFORM_QUOTE_MAX = 500;

/** Truncates and sanitizes a platform's message for quoting: no control or bidirectional characters. */
export const quotePlatform = (name: string, message: string, code?: string): PlatformQuote => ({
  name,

  message: message
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ')
    .slice(0, PLATFORM_QUOTE_MAX),
  ...(code === undefined ? {} : { code: code.slice(0, 100) }),
});
