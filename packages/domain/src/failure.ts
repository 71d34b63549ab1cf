import { nextCall, type NextCall } from './next-call.js';
import { refuseWith, type Refusal } from './result.js';

/** What a wire needs to know of a failure. A new code never touches a wire: it only picks one of these. */
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

/** Whether what was asked for happened: `unknown` means that nobody may send it again before it has been looked up. */
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

/** The one table of everything that can be refused: code → kind, title and who can mend it. `docs/generated/errors.md` is made from it. */
export const failures = {
  'request.invalid': facts('malformed', 'The request is invalid'),
  'request.malformed_json': facts('malformed', 'The body is not valid JSON'),
  'request.invalid_cursor': facts('malformed', 'The cursor is not valid here'),
  'request.too_large': facts('too_large', 'The body is too large'),
  'request.unsupported_media_type': facts('unsupported_media', 'The content type is not supported'),
  'request.precondition_failed': facts('precondition_failed', 'It has changed since it was read'),
  'request.origin_not_allowed': facts('forbidden', 'The host or origin is not allowed', {
    whoCanFix: 'operator',
  }),
  'route.not_found': facts('not_found', 'No such route'),
  'route.method_not_allowed': facts('method_not_allowed', 'The method is not allowed here'),
  'rate_limit.exceeded': facts('rate_limited', 'Too many requests'),
  'internal.error': facts('internal', 'Something went wrong on our side', {
    whoCanFix: 'operator',
    retryable: true,
  }),
  'service.unavailable': facts('unavailable', 'The service is not available right now', {
    whoCanFix: 'operator',
  }),

  'auth.invalid_key': facts('unauthenticated', 'The API key is not valid'),
  'key.scope_missing': facts('forbidden', 'The key lacks a scope', { whoCanFix: 'operator' }),
  'key.scope_exceeded': facts('forbidden', 'A key cannot grant what it does not hold'),
  'key.policy_exceeded': facts('forbidden', 'A key cannot widen its own policy'),
  'key.policy_unsupported': facts('unsupported', 'This version cannot enforce the policy'),
  'key.delegation_too_deep': facts('invalid', 'Too many generations of keys'),
  'key.rotated': facts('conflict', 'The key was rotated'),
  'key.ended': facts('conflict', 'The key has ended already'),
  'key.refund_ceiling_exceeded': facts('forbidden', 'The refund is above what the key may refund'),

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

  'connect.profile_required': facts('invalid', 'Say which profile the account is for'),
  'connect.return_url_not_allowed': facts('invalid', 'The return URL is not on the workspace’s list'),
  'connect.answer_invalid': facts('invalid', 'The answer cannot be used'),
  'connect.choice_invalid': facts('invalid', 'The accounts cannot be chosen like this', {
    whoCanFix: 'account_owner',
  }),
  'connect.denied': facts('invalid', 'The account’s owner did not agree', { whoCanFix: 'account_owner' }),
  'connect.wrong_account': facts('invalid', 'Another account answered', { whoCanFix: 'account_owner' }),
  'connect.exchange_failed': facts('upstream', 'The platform did not complete the connection', {
    whoCanFix: 'platform',
  }),
  'connect.nothing_to_choose': facts('invalid', 'The platform offered no account', {
    whoCanFix: 'account_owner',
  }),
  'connection.exists': facts('conflict', 'The profile has this account already'),
  'connection.needs_reauth': facts('conflict', 'The account must be connected again', {
    whoCanFix: 'account_owner',
  }),

  'post.profile_required': facts('invalid', 'Say which profile posts'),
  'post.target_ambiguous': facts('invalid', 'Several connections fit'),
  'post.no_targets': facts('invalid', 'There is no connection to post to'),
  'post.invalid': facts('invalid', 'The post does not fit every target'),
  'post.time_nonexistent': facts('invalid', 'That local time does not exist'),
  'post.time_ambiguous': facts('invalid', 'That local time exists twice'),
  'post.time_past': facts('invalid', 'The time is in the past'),
  'post.time_too_far': facts('invalid', 'The time is too far ahead'),
  'post.possible_duplicate': facts('conflict', 'The same post exists already'),
  'post.already_published': facts('conflict', 'Publishing has begun'),
  'post.outcome_unknown': facts('conflict', 'It may have been published already', { effect: 'unknown' }),
  'post.unpublish_unsupported': facts('unsupported', 'The platform cannot delete posts'),
  'delivery.settled': facts('conflict', 'Nothing is in doubt about this delivery'),
  'post.missed': facts('invalid', 'It could not go out in time'),

  'media.type_unsupported': facts('unsupported_media', 'Files of this type cannot be posted'),
  'media.unreadable': facts('invalid', 'The file cannot be read'),
  'media.not_as_announced': facts('invalid', 'The file is not the one that was announced'),
  'media.already_uploaded': facts('conflict', 'The file has been uploaded already'),
  'media.in_use': facts('conflict', 'A post still needs it'),
  'media.url_invalid': facts('invalid', 'The URL cannot be fetched from'),
  'media.fetch_failed': facts('upstream', 'The file could not be fetched'),
  'media.processing': facts('unavailable', 'The media is still on its way'),
  'media.failed': facts('invalid', 'The media cannot be used'),
  'media.lost': facts('internal', 'The stored file is not there or has changed', { whoCanFix: 'operator' }),

  'orders.currency_required': facts('invalid', 'Say in which currency'),
  'orders.all_sources_failed': facts('upstream', 'No store answered', {
    whoCanFix: 'platform',
    retryable: true,
  }),

  'quote.expired': facts('conflict', 'The quote has expired'),
  'quote.changed': facts('conflict', 'The order has changed since it was quoted'),
  'refund.extent_required': facts('invalid', 'Say what to refund'),
  'refund.extent_conflict': facts('invalid', 'Say what to refund in one way'),
  'refund.currency_mismatch': facts('invalid', 'The order has another currency'),
  'refund.offline_only': facts('invalid', 'This payment cannot be refunded through the store'),
  'refund.unsupported_option': facts('unsupported', 'The store cannot do that'),
  'refund.exceeds_refundable': facts('invalid', 'More than what can still be refunded'),
  'refund.refundable_changed': facts('conflict', 'What can be refunded has changed'),
  'refund.in_progress': facts('conflict', 'Another refund of this order is running', { retryable: true }),
  'refund.in_doubt': facts('conflict', 'An earlier refund of this order may have happened'),
  'refund.possible_duplicate': facts('conflict', 'The same refund was made just now'),
  'refund.refused': facts('invalid', 'The store refused the refund', { whoCanFix: 'platform' }),
  'refund.unclear': facts('upstream', 'Only a person can tell whether the refund was made', {
    whoCanFix: 'account_owner',
    effect: 'unknown',
  }),
  'refund.not_confirmed': facts('conflict', 'The person has not agreed to the refund'),
  'refund.settled': facts('conflict', 'The refund is settled already'),

  'platform.not_configured': facts('invalid', 'The platform is not set up', { whoCanFix: 'operator' }),
  'platform.app_unsupported': facts('unsupported', 'The platform takes no app of yours'),
  'platform.refused': facts('invalid', 'The platform refused', { whoCanFix: 'caller' }),
  'platform.duplicate_content': facts('conflict', 'The platform has the same post already'),
  'platform.permission_missing': facts('invalid', 'The account did not grant this', {
    whoCanFix: 'account_owner',
  }),
  'platform.address_refused': facts('invalid', 'That address may not be reached'),
  'platform.unavailable': facts('unavailable', 'The platform cannot be reached', { whoCanFix: 'platform' }),
  'platform.rate_limited': facts('unavailable', 'The platform asks to slow down', { whoCanFix: 'platform' }),
  'platform.outcome_unknown': facts('upstream', 'It may have happened', {
    whoCanFix: 'platform',
    effect: 'unknown',
  }),
  'platform.invalid_response': facts('upstream', 'The platform answered nonsense', { whoCanFix: 'platform' }),

  'vault.unavailable': facts('unavailable', 'The vault is locked', { whoCanFix: 'operator' }),
  'vault.rotation_refused': facts('conflict', 'The master keys cannot be rotated now', {
    whoCanFix: 'operator',
  }),
  'vault.unreadable': facts('internal', 'A sealed secret cannot be opened', { whoCanFix: 'operator' }),
} as const satisfies Record<string, FailureFacts>;

export type FailureCode = keyof typeof failures;

/** One thing wrong with an input: where (a dotted path as the caller wrote it), what, and what to do about it. */
export interface Problem {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  /** What could stand there. The labels are others' words. */
  readonly candidates?: readonly { readonly value: string; readonly label: string }[] | undefined;
}

/** A platform's own words, quoted. They are data: never put into a sentence of ours. */
export interface PlatformQuote {
  readonly name: string;
  readonly code?: string | undefined;
  readonly message: string;
}

export interface FailureExtras {
  /** Facts about this failure, named in `SPEC.md` 4; keys in camelCase here, snake_case on the wire. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly problems?: readonly Problem[] | undefined;
  readonly candidates?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** What helps most. */
  readonly next?: NextCall | undefined;
  /** What helps whoever cannot make that call: it looks where `next` would act, or lists where `next` reads one. */
  readonly fallback?: NextCall | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly platform?: PlatformQuote | undefined;
  /** Only where it differs from the table. */
  readonly effect?: Effect | undefined;
  readonly whoCanFix?: WhoCanFix | undefined;
  readonly retryable?: boolean | undefined;
  /** The refusal is that of an earlier request, given again. */
  readonly replayed?: boolean | undefined;
}

export interface Failure<Code extends FailureCode = FailureCode> extends FailureExtras {
  readonly code: Code;
  /** One or two sentences of ours that say what to do. Never a platform's words, a secret, SQL or a stack. */
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

/** A missing, foreign or malformed id: one sentence and one way on for all three, so that nobody learns which. */
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

/** Where those there are can be found. */
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

/** Caps and cleans what a platform said, so that it can be quoted: no control or bidirectional characters. */
export const quotePlatform = (name: string, message: string, code?: string): PlatformQuote => ({
  name,

  message: message
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ')
    .slice(0, PLATFORM_QUOTE_MAX),
  ...(code === undefined ? {} : { code: code.slice(0, 100) }),
});
