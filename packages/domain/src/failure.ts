import type { ProblemCode } from './reason-codes.js';
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
  | 'not_acceptable'
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
  /** What to do, in one sentence. */
  readonly remedy: string;
  readonly whoCanFix: WhoCanFix;
  readonly retryable: boolean;
  readonly effect: Effect;
}

const facts = (
  kind: FailureKind,
  title: string,
  remedy: string,
  more: Partial<FailureFacts> = {},
): FailureFacts => ({
  kind,
  title,
  remedy,
  whoCanFix: 'caller',
  retryable: kind === 'rate_limited' || kind === 'unavailable',
  effect: 'none',
  ...more,
});
const missing = (thing: string): FailureFacts =>
  facts('not_found', `No such ${thing}`, `Send the id of an existing ${thing} that the key may see.`);

/**
 * The table of all failures: code → kind, title, what to do and who can fix it. With `reasonCodes` it is the
 * catalog of all public codes, from which `docs/generated/errors.md` is generated.
 */
export const failures = {
  'request.invalid': facts('malformed', 'The request is invalid', 'Correct the fields that `errors` names.'),
  'request.malformed_json': facts(
    'malformed',
    'The body is not valid JSON',
    'Send a JSON object with each key once.',
  ),
  'request.invalid_cursor': facts(
    'malformed',
    'The cursor is invalid for this request',
    'Start again without `cursor`; a cursor is valid only for the filters it was issued with.',
  ),
  'request.too_large': facts(
    'too_large',
    'The body is too large',
    'Send less at once; upload files as media.',
  ),
  'request.unsupported_media_type': facts(
    'unsupported_media',
    'The content type is not supported',
    'Send the content type that the operation documents, usually `application/json`.',
  ),
  'request.not_acceptable': facts(
    'not_acceptable',
    'None of the accepted content types is available',
    'Send an `Accept` header with a content type that the operation documents, or none.',
  ),
  'request.precondition_failed': facts(
    'precondition_failed',
    'The resource was changed since it was read',
    'Read the resource again and send its current `ETag` in `If-Match`.',
  ),
  'request.origin_not_allowed': facts(
    'forbidden',
    'The host or origin is not allowed',
    'Add the host or origin to the configuration, or call from an allowed one.',
    {
      whoCanFix: 'operator',
    },
  ),
  'route.not_found': facts('not_found', 'No such route', 'Compare method and path with the API document.'),
  'route.method_not_allowed': facts(
    'method_not_allowed',
    'The method is not allowed here',
    'Use a method that `Allow` lists.',
  ),
  'rate_limit.exceeded': facts('rate_limited', 'Too many requests', 'Wait as long as `Retry-After` says.'),
  'internal.error': facts(
    'internal',
    'Internal error',
    'Report the `request_id` to the operator; retry only if `effect` is `none`.',
    {
      whoCanFix: 'operator',
      retryable: true,
    },
  ),
  'service.unavailable': facts(
    'unavailable',
    'Service temporarily unavailable',
    'Retry after `Retry-After`.',
    {
      whoCanFix: 'operator',
    },
  ),

  'auth.invalid_key': facts(
    'unauthenticated',
    'The API key is invalid',
    'Send a valid API key as a bearer token.',
  ),
  'key.scope_missing': facts(
    'forbidden',
    'The key lacks a scope',
    'Use a key with the scope in `details.required_scope`.',
    { whoCanFix: 'operator' },
  ),
  'tool.hidden': facts(
    'forbidden',
    'The tool is hidden by read-only mode or by a toolset',
    'Ask the operator to enable the toolset or to turn read-only mode off.',
    {
      whoCanFix: 'operator',
    },
  ),
  'key.scope_exceeded': facts(
    'forbidden',
    'A key cannot grant scopes it does not hold',
    'Leave out the scopes that the calling key lacks.',
  ),
  'key.policy_exceeded': facts(
    'forbidden',
    'A key cannot widen its own policy',
    'Send a policy at least as strict as that of the calling key.',
  ),
  'key.policy_unsupported': facts(
    'unsupported',
    'This version cannot enforce the policy',
    'Remove the part of the policy that the message names.',
  ),
  'key.delegation_too_deep': facts(
    'invalid',
    'Key delegation is too deep',
    'Create the key with a key that is closer to the first one.',
  ),
  'approval.required': facts(
    'conflict',
    'A person has not approved exactly this',
    'Read the post or the refund; request it again where it is still wanted.',
    { whoCanFix: 'operator' },
  ),
  'approval.rejected': facts(
    'conflict',
    'A person rejected the request',
    'Read the note of the decision; change the post before you request it again.',
  ),
  'approval.expired': facts(
    'conflict',
    'No person decided in time',
    'Request it again, and ask a person to decide.',
  ),
  'approval.decided': facts(
    'conflict',
    'The request is already decided',
    'Read the approval; nothing is left to decide.',
  ),
  'approval.media_not_ready': facts(
    'conflict',
    'Media of the post is not ready yet',
    'Wait until its media is ready, read the post, and decide then.',
  ),
  'approval.not_permitted': facts(
    'forbidden',
    'The key cannot decide about this request',
    'Use a key of another family, the decision page that it hands out, or `switchboard approvals`.',
    { whoCanFix: 'operator' },
  ),
  'key.rotated': facts('conflict', 'The key was rotated', 'Use the key that replaced it.'),
  'key.ended': facts('conflict', 'The key is revoked or expired', 'Use another key, or create one.'),
  'key.nothing_to_grant': facts(
    'invalid',
    'The key holds no scope that a client can be granted',
    'Use a key with a scope of the tools that the client needs.',
  ),
  'key.refund_ceiling_exceeded': facts(
    'forbidden',
    'The refund exceeds the key’s refund ceiling',
    'Refund at most what `details.ceiling_remaining` allows, or use a key with a higher ceiling.',
  ),

  'idempotency.key_reused': facts(
    'invalid',
    'The idempotency key was used for another request',
    'Use a new key for a different request.',
  ),
  'idempotency.in_progress': facts(
    'conflict',
    'A request with this idempotency key is still running',
    'Repeat the request with the same key after `Retry-After`.',
    {
      retryable: true,
    },
  ),

  'workspace.not_found': missing('workspace'),
  'workspace.name_taken': facts('conflict', 'The name is taken', 'Choose another name.'),
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
  'attention_item.not_found': missing('attention item'),
  'webhook_delivery.not_found': missing('webhook delivery'),
  'key.not_found': missing('key'),
  'client.not_found': missing('client'),
  'invitation.not_found': missing('invitation'),

  'profile.in_use': facts(
    'conflict',
    'The profile is in use',
    'Move or delete what `details` counts, or send `cascade=true`.',
  ),
  'profile.is_default': facts(
    'conflict',
    'The default profile cannot be deleted',
    'Keep it; another profile can be deleted.',
  ),

  'connect.profile_required': facts(
    'invalid',
    'profile_id is required',
    'Send `profile_id`; `candidates` lists the profiles.',
  ),
  'connect.return_url_not_allowed': facts(
    'invalid',
    'The return URL is not on the workspace’s list',
    'Add the URL to `return_urls` of the workspace.',
  ),
  'connect.answer_invalid': facts('invalid', 'A form value is invalid', 'Correct the value in the form.'),
  'connect.choice_invalid': facts(
    'invalid',
    'The selection of accounts is invalid',
    'Select accounts from the list that the page shows.',
    {
      whoCanFix: 'account_owner',
    },
  ),
  'connect.denied': facts(
    'invalid',
    'The account owner denied access',
    'Ask the account owner to open a new link and to allow access.',
    { whoCanFix: 'account_owner' },
  ),
  'connect.wrong_account': facts('invalid', 'Wrong account', 'Sign in to the account that the link names.', {
    whoCanFix: 'account_owner',
  }),
  'connect.exchange_failed': facts(
    'upstream',
    'The platform did not complete the connection',
    'Open the link again; if it fails again, check the app at the platform.',
    {
      whoCanFix: 'platform',
    },
  ),
  'connect.nothing_to_choose': facts(
    'invalid',
    'The login has no account to connect',
    'Sign in with a login that manages a page, channel or store.',
    {
      whoCanFix: 'account_owner',
    },
  ),
  'connection.exists': facts(
    'conflict',
    'The account is already connected to this profile',
    'Use the existing connection.',
  ),
  'connection.import_invalid': facts(
    'invalid',
    'A row of an import is invalid',
    'Correct the row and import it again; the message says what is wrong.',
  ),
  'connection.import_unsupported': facts(
    'unsupported',
    'This login cannot be imported',
    'Connect the account again: start a connect session.',
  ),
  'connection.orders_unsupported': facts(
    'invalid',
    'The account has no orders',
    'Watch the orders of a connected store.',
  ),
  'connection.needs_reauth': facts(
    'conflict',
    'The account must be reconnected',
    'Start a connect session for the connection; `next` is that call.',
    {
      whoCanFix: 'account_owner',
    },
  ),

  'post.profile_required': facts(
    'invalid',
    'profile_id is required',
    'Send `profile_id`, or targets that name connections.',
  ),
  'post.target_ambiguous': facts(
    'invalid',
    'Several connections match the target',
    'Name the connection by `connection_id`; `candidates` lists the matches.',
  ),
  'post.no_targets': facts(
    'invalid',
    'No connection to publish to',
    'Name at least one connection that can publish.',
  ),
  'post.invalid': facts(
    'invalid',
    'The post is invalid for at least one target',
    'Correct what `errors` lists for each target.',
  ),
  'post.timezone_required': facts(
    'invalid',
    'timezone is required',
    'Send `timezone`, or an offset in the time.',
  ),
  'post.time_nonexistent': facts(
    'invalid',
    'The local time does not exist',
    'Choose a time that the clock change does not skip.',
  ),
  'post.time_ambiguous': facts(
    'invalid',
    'The local time is ambiguous',
    'Send one of the two instants in `details.instants`.',
  ),
  'post.time_past': facts('invalid', 'The time is in the past', 'Send a time later than `details.now`.'),
  'post.queue_empty': facts(
    'invalid',
    'The profile has no posting slots',
    'Set the slots of the profile’s queue, or send `scheduled_at`.',
  ),
  'post.time_too_far': facts('invalid', 'The time is too far in the future', 'Choose an earlier time.'),
  'post.possible_duplicate': facts(
    'conflict',
    'The same post already exists',
    'Look at the post in `details.id`; send `allow_duplicate` if both are intended.',
  ),
  'post.already_published': facts(
    'conflict',
    'Publishing has already started',
    'Read the post; unpublish it where the platform supports that, and create a new one.',
  ),
  'post.cancelled': facts('conflict', 'The post was cancelled', 'Create a new post.'),
  'post.outcome_unknown': facts(
    'conflict',
    'Publishing outcome unknown',
    'Recheck the delivery, or resolve it after looking at the platform.',
    { effect: 'unknown' },
  ),
  'post.unpublish_unsupported': facts(
    'unsupported',
    'The platform cannot delete posts',
    'Delete the post at the platform itself.',
  ),
  'post.edit_unsupported': facts(
    'unsupported',
    'The platform cannot edit this',
    'Follow `errors`: each says what to do instead.',
  ),
  'delivery.settled': facts(
    'conflict',
    'The delivery is already settled',
    'Read the post; nothing is left to decide.',
  ),
  'post.missed': facts('invalid', 'Publish window missed', 'Retry the delivery or schedule the post again.'),

  'media.type_unsupported': facts(
    'unsupported_media',
    'Files of this type cannot be posted',
    'Use a file type that the platform document lists.',
  ),
  'media.unreadable': facts('invalid', 'The file cannot be read', 'Check the file and upload it again.'),
  'media.not_as_announced': facts(
    'invalid',
    'The file does not match the announced type or size',
    'Create a new upload with the real type and size.',
  ),
  'media.already_uploaded': facts(
    'conflict',
    'The file has already been uploaded',
    'Use the media; create a new upload for another file.',
  ),
  'media.in_use': facts(
    'conflict',
    'The media is in use by a post',
    'Remove it from the posts that use it, or cancel them.',
  ),
  'media.url_invalid': facts(
    'invalid',
    'The URL cannot be downloaded',
    'Send a public `http` or `https` URL of the file itself.',
  ),
  'media.fetch_failed': facts(
    'upstream',
    'The file could not be downloaded',
    'Check that the URL can be downloaded without a login, or upload the file.',
  ),
  'media.processing': facts(
    'unavailable',
    'The media is still being processed',
    'Retry after `Retry-After`.',
  ),
  'media.failed': facts(
    'invalid',
    'The media cannot be used',
    'Replace the media; its `error` gives the reason.',
  ),
  'media.lost': facts(
    'internal',
    'The stored file is missing or corrupted',
    'Upload the file again; the operator checks the storage.',
    { whoCanFix: 'operator' },
  ),

  'webhook.url_refused': facts(
    'invalid',
    'The URL cannot receive webhooks',
    'Send an `https` URL whose host has a public address.',
  ),
  'webhook.challenge_failed': facts(
    'invalid',
    'The endpoint did not repeat the challenge',
    'Respond to a body of type `webhook.challenge` with status 200 and its `challenge`.',
  ),
  'webhook.limit_reached': facts(
    'conflict',
    'The workspace has too many webhooks',
    'Delete a webhook that is not used.',
  ),
  'webhook.disabled': facts('conflict', 'The webhook is disabled', 'Repair its endpoint, then enable it.'),
  'webhook.redelivery_in_progress': facts(
    'conflict',
    'Events of another period are being sent again',
    'Repeat the request when they have been sent.',
    { retryable: true },
  ),

  'orders.currency_required': facts(
    'invalid',
    'currency is required',
    'Send `currency` with `min_total` or `max_total`.',
  ),
  'orders.all_sources_failed': facts(
    'upstream',
    'No store responded',
    'Retry later; `details` names the error of each store.',
    {
      whoCanFix: 'platform',
      retryable: true,
    },
  ),

  'quote.expired': facts('conflict', 'The quote has expired', 'Request a new quote.'),
  'quote.changed': facts(
    'conflict',
    'The order has changed since it was quoted',
    'Request a new quote and compare the amounts.',
  ),
  'refund.extent_required': facts(
    'invalid',
    'The extent of the refund is required',
    'Send `full`, `amount`, or `line_items` and `shipping`.',
  ),
  'refund.extent_conflict': facts(
    'invalid',
    'The extent of the refund is specified more than once',
    'Send the extent in exactly one way.',
  ),
  'refund.currency_mismatch': facts(
    'invalid',
    'The currency does not match the order',
    'Send the amount in the currency of the order.',
  ),
  'refund.offline_only': facts(
    'invalid',
    'This payment cannot be refunded through the store',
    'Send `allow_offline: true` to record a refund that moves no money, or return the money elsewhere.',
  ),
  'refund.unsupported_option': facts(
    'unsupported',
    'The store does not support this option',
    'Omit the option that the message names.',
  ),
  'refund.exceeds_refundable': facts(
    'invalid',
    'The amount exceeds what is still refundable',
    'Refund at most `details.refundable`.',
  ),
  'refund.refundable_changed': facts(
    'conflict',
    'The refundable amount has changed',
    'Read the order again and send its current `expected_refundable`.',
  ),
  'refund.in_progress': facts(
    'conflict',
    'Another refund of this order is in progress',
    'Wait until the other refund has settled, then retry.',
    { retryable: true },
  ),
  'refund.in_doubt': facts(
    'conflict',
    'The outcome of an earlier refund is unknown',
    'Recheck or resolve the earlier refund first.',
  ),
  'refund.possible_duplicate': facts(
    'conflict',
    'Possible duplicate refund',
    'Look at the refund in `details.id`; send `allow_duplicate` if both are intended.',
  ),
  'refund.refused': facts(
    'invalid',
    'The store rejected the refund',
    'Read the message of the store in `platform`.',
    { whoCanFix: 'platform' },
  ),
  'refund.unclear': facts(
    'upstream',
    'Refund outcome requires manual review',
    'Look in the store for what `details.look_for` describes, then resolve the refund.',
    {
      whoCanFix: 'account_owner',
      effect: 'unknown',
    },
  ),
  'refund.not_confirmed': facts(
    'conflict',
    'The refund was not confirmed',
    'Ask the user again; nothing was refunded.',
  ),
  'refund.settled': facts(
    'conflict',
    'The refund is already settled',
    'Read the refund; nothing is left to decide.',
  ),

  'platform.not_configured': facts(
    'invalid',
    'The platform is not configured',
    'Configure the app of the platform.',
    { whoCanFix: 'operator' },
  ),
  'platform.app_unsupported': facts(
    'unsupported',
    'The platform does not support custom apps',
    'Use the app of the installation.',
  ),
  'platform.refused': facts(
    'invalid',
    'The platform rejected the request',
    'Read the message in `platform` and change the request.',
    { whoCanFix: 'caller' },
  ),
  'platform.duplicate_content': facts(
    'conflict',
    'The platform already has the same post',
    'Change the content, or keep the post that exists.',
  ),
  'platform.permission_missing': facts(
    'invalid',
    'A permission is missing',
    'Reconnect the account and grant the permission.',
    {
      whoCanFix: 'account_owner',
    },
  ),
  'platform.address_refused': facts('invalid', 'The address is not allowed', 'Send a public address.'),
  'platform.unavailable': facts('unavailable', 'The platform cannot be reached', 'Retry later.', {
    whoCanFix: 'platform',
  }),
  'platform.rate_limited': facts(
    'unavailable',
    'Rate limited by the platform',
    'Retry after `Retry-After`.',
    { whoCanFix: 'platform' },
  ),
  'platform.outcome_unknown': facts(
    'upstream',
    'Outcome unknown',
    'Look up the outcome before sending the request again.',
    {
      whoCanFix: 'platform',
      effect: 'unknown',
    },
  ),
  'platform.invalid_response': facts(
    'upstream',
    'Invalid response from the platform',
    'Retry later; report it to the operator if it stays.',
    {
      whoCanFix: 'platform',
    },
  ),

  'vault.unavailable': facts(
    'unavailable',
    'The vault is unavailable',
    'Retry later; the operator checks the master keys.',
    { whoCanFix: 'operator' },
  ),
  'vault.rotation_refused': facts(
    'conflict',
    'The master keys cannot be rotated now',
    'Follow the message, then rotate again.',
    {
      whoCanFix: 'operator',
    },
  ),
  'vault.unreadable': facts(
    'internal',
    'A sealed secret cannot be opened',
    'Restore the master key that sealed it, or reconnect the account.',
    { whoCanFix: 'operator' },
  ),
} as const satisfies Record<string, FailureFacts>;

export type FailureCode = keyof typeof failures;

/** One invalid input field: its path (dotted, as the caller wrote it), what is wrong, and how to fix it. */
export interface Problem {
  readonly path: string;
  readonly code: ProblemCode;
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

/** Whether work that may be repeated is tried again soon: the failure may end by itself, or the outcome is unknown. */
export const isTransient = ({ code, retryable = failures[code].retryable }: Failure): boolean =>
  retryable || code === 'platform.outcome_unknown';

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
  attention_item: nextCall.listAttention(),
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
