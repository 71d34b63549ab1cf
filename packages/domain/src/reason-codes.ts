import type { AttentionKind } from './attention/attention.js';
import type { ConnectErrorCode } from './connections/connect-session.js';
import type { EventType } from './events/event.js';
import type { FailureCode } from './failure.js';

/** Where a caller reads a code, other than as the `code` of a failed request. */
export const codePlaces = {
  problem: '`errors` of a failed request, `problems` of a dry run',
  warning: '`warnings` of a dry run',
  delivery: '`error` of a delivery and of its history',
  media: '`error` of media',
  order_source: '`sources[].notes` of a list of orders',
  analytics: '`notes` of analytics',
  connect_session: '`error` of a connect session',
  attention: '`kind` of an attention item',
  event: '`type` of an event',
} as const;

type CodePlace = keyof typeof codePlaces;

interface ReasonFacts {
  readonly place: CodePlace;
  readonly meaning: string;
  /** What to do, in one sentence. */
  readonly remedy: string;
}

const reason = <Place extends CodePlace>(place: Place, meaning: string, remedy: string) => ({
  place,
  meaning,
  remedy,
});

const RECONNECT = 'Reconnect the account.';
const CHANGE_TEXT = 'Change the text of the target.';
const REPLACE_MEDIA = 'Use other media for the target.';
const WAIT = 'Wait; the delivery is checked again.';
const NOTHING = 'Nothing.';

const connectErrors = {
  denied: reason('connect_session', 'The account owner denied access', 'Send the account owner a new link.'),
  wrong_account: reason('connect_session', 'Another account signed in', 'Sign in to the expected account.'),
  exchange_failed: reason(
    'connect_session',
    'The platform did not complete the connection',
    'Create a new session; if it fails again, check the app at the platform.',
  ),
  account_unreadable: reason(
    'connect_session',
    'The account at the platform cannot be read',
    'Report it to the operator; the log has the reason.',
  ),
  nothing_to_choose: reason(
    'connect_session',
    'The login has no account to connect',
    'Sign in with a login that manages a page, channel or store.',
  ),
  expired: reason('connect_session', 'The link was not used in time', 'Create a new session.'),
} as const satisfies Record<ConnectErrorCode, ReasonFacts>;

const attentionItems = {
  installation_paused: reason(
    'attention',
    'No post and no refund of this installation is sent',
    'Ask its operator to run `switchboard resume`.',
  ),
  database_promoted: reason(
    'attention',
    'The database failed over or was restored',
    'Compare what was requested just before with your records.',
  ),
  profile_paused: reason('attention', 'No post and no refund of the profile is sent', 'Resume the profile.'),
  connection_paused: reason(
    'attention',
    'No post and no refund is sent through the account',
    'Update the connection with `paused: false`.',
  ),
  refund_needs_review: reason(
    'attention',
    'The outcome of a refund is unknown',
    'Recheck the refund, or resolve it after looking in the store.',
  ),
  post_needs_review: reason(
    'attention',
    'The outcome of a delivery is unknown',
    'Recheck the delivery, or resolve it after looking at the platform.',
  ),
  connection_needs_reauth: reason('attention', 'The account must be reconnected', RECONNECT),
  connection_degraded: reason(
    'attention',
    'The account works, but not for everything or not for long',
    RECONNECT,
  ),
  approval_pending: reason(
    'attention',
    'A post or a refund waits for a person’s approval',
    'Approve or reject it.',
  ),
  webhook_disabled: reason('attention', 'A webhook was disabled', 'Repair its endpoint, then enable it.'),
  media_failed: reason(
    'attention',
    'Media of an unsent post cannot be used',
    'Replace the media of the post.',
  ),
  post_failed: reason('attention', 'A delivery failed', 'Fix what its error names, then retry the post.'),
  post_missed: reason('attention', 'A delivery was not sent in time', 'Retry the post.'),
  api_version_ends: reason(
    'attention',
    'The platform will switch off the API version in use',
    'Update the installation before that date.',
  ),
} as const satisfies Record<AttentionKind, ReasonFacts>;

const events = {
  'connection.connected': reason('event', 'An account was connected', NOTHING),
  'connection.degraded': reason('event', 'An account lacks a permission or will stop working', RECONNECT),
  'connection.needs_reauth': reason('event', 'An account stopped working', RECONNECT),
  'connection.restored': reason('event', 'An account works again', NOTHING),
  'connection.disconnected': reason('event', 'An account was disconnected', NOTHING),
  'post.created': reason('event', 'A post was created', NOTHING),
  'post.scheduled': reason('event', 'A post was scheduled', NOTHING),
  'post.updated': reason('event', 'A post was changed', NOTHING),
  'post.deleted': reason('event', 'A post was deleted at all of its platforms', NOTHING),
  'post.removed_at_platform': reason(
    'event',
    'A platform says that a published post was removed there',
    NOTHING,
  ),
  'post.published': reason('event', 'All deliveries of a post are published', NOTHING),
  'post.partially_published': reason(
    'event',
    'Some deliveries of a post are published, the others failed',
    'Retry the post after fixing what the errors name.',
  ),
  'post.failed': reason(
    'event',
    'No delivery of a post was published',
    'Fix what the errors name, then retry.',
  ),
  'post.missed': reason('event', 'A post was not sent in time', 'Retry the post.'),
  'post.cancelled': reason('event', 'A post was cancelled', NOTHING),
  'post.needs_review': reason(
    'event',
    'The outcome of a delivery is unknown',
    'Recheck the delivery, or resolve it after looking at the platform.',
  ),
  'post.delivery_published': reason('event', 'A delivery was published', NOTHING),
  'post.delivery_failed': reason('event', 'A delivery was not published', 'Fix what its error names.'),
  'media.failed': reason('event', 'Media cannot be used', 'Replace it in the posts that the event names.'),
  'order.created': reason('event', 'A watched store has a new order', NOTHING),
  'order.updated': reason('event', 'An order of a watched store was changed', NOTHING),
  'refund.created': reason('event', 'A refund was requested', NOTHING),
  'refund.succeeded': reason('event', 'A refund succeeded', NOTHING),
  'refund.failed': reason('event', 'A refund failed', 'Read its error.'),
  'refund.needs_review': reason(
    'event',
    'The outcome of a refund is unknown',
    'Recheck the refund, or resolve it after looking in the store.',
  ),
  'approval.requested': reason(
    'event',
    'A post or a refund waits for a person’s approval',
    'Decide on the page that `url` names, or with a key that may decide.',
  ),
  'approval.decided': reason(
    'event',
    'A request was approved, rejected, withdrawn, or expired',
    'Read `status` and `note`.',
  ),
  'key.created': reason('event', 'A key was created', NOTHING),
  'key.rotated': reason('event', 'A key was rotated', NOTHING),
  'key.revoked': reason('event', 'A key was revoked', NOTHING),
  'client.authorized': reason(
    'event',
    'A person allowed an OAuth client to act with a key',
    'Revoke the client if it was not expected.',
  ),
  'client.revoked': reason('event', 'The access of an OAuth client ended', NOTHING),
  'webhook.disabled': reason('event', 'A webhook was disabled', 'Repair its endpoint, then enable it.'),
} as const satisfies Record<EventType, ReasonFacts>;

const problems = {
  'field.required': reason('problem', 'A required field is missing', 'Send the field.'),
  'field.unknown': reason('problem', 'The field does not exist', 'Remove it, or use the suggested name.'),
  'field.duplicate': reason('problem', 'A key appears twice in its object', 'Send each key once.'),
  'field.too_deep': reason('problem', 'The value is nested too deeply', 'Send the documented structure.'),
  'field.invalid': reason('problem', 'The value is not acceptable', 'Send what the message describes.'),
  'field.invalid_type': reason(
    'problem',
    'The value has the wrong type',
    'Send the type that the message names.',
  ),
  'field.invalid_value': reason(
    'problem',
    'The value is not one of the allowed ones',
    'Send one that the message lists.',
  ),
  'field.invalid_format': reason(
    'problem',
    'The text does not have the required format',
    'Follow the example in the message.',
  ),
  'field.invalid_key': reason('problem', 'The name of a key is not acceptable', 'Rename the key.'),
  'field.invalid_element': reason('problem', 'An element is not acceptable', 'Correct the element.'),
  'field.too_small': reason(
    'problem',
    'The value is too small or too short',
    'Send at least what the message names.',
  ),
  'field.too_big': reason(
    'problem',
    'The value is too large or too long',
    'Send at most what the message names.',
  ),
  'field.not_multiple_of': reason(
    'problem',
    'The number is not a multiple',
    'Send a multiple of the number in the message.',
  ),
  'time.order': reason('problem', 'The period ends before it begins', 'Send a later end.'),
  'time.past': reason('problem', 'The time is in the past', 'Send a later time.'),
  'text.required': reason('problem', 'The platform requires a text', 'Add a text.'),
  'text.too_long': reason(
    'problem',
    'The text exceeds the limit of the platform',
    'Shorten the text of the target.',
  ),
  'text.too_many_hashtags': reason('problem', 'Too many hashtags', CHANGE_TEXT),
  'text.too_many_mentions': reason('problem', 'Too many mentioned accounts', CHANGE_TEXT),
  'text.too_many_links': reason('problem', 'Too many links', CHANGE_TEXT),
  'text.too_many_cashtags': reason('problem', 'Too many cashtags', CHANGE_TEXT),
  'text.character_unsupported': reason('problem', 'The platform rejects a character', CHANGE_TEXT),
  'link.too_long': reason('problem', 'The link exceeds the limit of the platform', 'Send a shorter link.'),
  'media.required': reason('problem', 'The platform requires media', 'Add media.'),
  'media.too_many': reason('problem', 'Too many media', 'Remove some media of the target.'),
  'media.too_large': reason('problem', 'The file is too large for the platform', REPLACE_MEDIA),
  'media.aspect_ratio_unsupported': reason('problem', 'The platform rejects the aspect ratio', REPLACE_MEDIA),
  'media.duration_unsupported': reason('problem', 'The video is too short or too long', REPLACE_MEDIA),
  'media.alt_text_too_long': reason(
    'problem',
    'The alternative text is too long',
    'Shorten the alternative text.',
  ),
  'media.not_publicly_reachable': reason(
    'problem',
    'The platform downloads media itself and cannot reach this installation',
    'Set `SWITCHBOARD_PUBLIC_URL`.',
  ),
  'option.required': reason('problem', 'The platform requires the option', 'Send the option.'),
  'option.unknown': reason(
    'problem',
    'The platform has no such option',
    'Remove it; the platform document lists the options.',
  ),
  'option.invalid': reason(
    'problem',
    'The value of the option is not acceptable',
    'Send a value that the message or `candidates` names.',
  ),
  'thread.unsupported': reason(
    'problem',
    'The account cannot publish a thread or a first comment',
    'Remove it for this target.',
  ),
  'comment.unsupported': reason(
    'problem',
    'The post cannot have a comment',
    'Remove `first_comment` for this target.',
  ),
  'quota.exceeded': reason(
    'problem',
    'The account has reached a limit of its platform',
    'Choose a later time.',
  ),
  'platform.unsupported': reason('problem', 'The platform cannot publish posts', 'Remove the target.'),
  invalid_amount: reason(
    'problem',
    'The text is not an amount in the currency',
    'Send a decimal text such as "12.34".',
  ),
  invalid_quantity: reason(
    'problem',
    'The quantity is not a whole number above zero',
    'Send a whole number above zero.',
  ),
  repeated: reason('problem', 'A line is listed twice', 'List each line once, with its whole quantity.'),
  not_restocked: reason(
    'problem',
    'A location is given for a line that is not restocked',
    'Set `restock`, or omit `location_id`.',
  ),
  unknown_line: reason('problem', 'The order has no such line', 'Use an id of `line_items` of the order.'),
  unknown_payment: reason(
    'problem',
    'The order has no such payment',
    'Use an id of `payments` of the order.',
  ),
  exceeds_refundable: reason(
    'problem',
    'More of a line than can still be refunded',
    'Send at most its `refundable_quantity`.',
  ),
} as const satisfies Record<string, ReasonFacts>;

const others = {
  'publishing.paused': reason(
    'warning',
    'Publishing is paused',
    'Nothing: the post is held until it is resumed; list_attention states who can.',
  ),
  'media.not_checked': reason(
    'warning',
    'The media could not be checked in time',
    'Validate again, or upload the file.',
  ),
  'option.unchecked': reason(
    'warning',
    'The choices of the account could not be read',
    'Validate again later.',
  ),
  'option.unlisted': reason(
    'warning',
    'The value is not in the incomplete list of choices',
    'Check the value.',
  ),
  'read_back.absent_once': reason('delivery', 'The platform does not list the post yet', WAIT),
  'read_back.contested': reason('delivery', 'The post found may belong to another delivery', WAIT),
  'read_back.absent': reason(
    'delivery',
    'The post does not exist at the platform',
    'Nothing while it is retried; otherwise retry the post.',
  ),
  'delivery.not_published': reason(
    'delivery',
    'A person recorded that the post does not exist',
    'Retry the post if it is still wanted.',
  ),
  'media.upload_expired': reason('media', 'The upload URL was not used in time', 'Create a new upload.'),
  'orders.history_limited': reason(
    'order_source',
    'The store lists only orders of a limited time',
    'Grant the permission to read all orders for the complete list.',
  ),
  'orders.unreadable': reason(
    'order_source',
    'The store returned orders that cannot be read; they are left out',
    'Look at the store; report it to the operator.',
  ),
  'analytics.not_connected': reason(
    'analytics',
    'No account of the platform is connected',
    'Connect an account to read its metrics.',
  ),
  'analytics.not_provided': reason('analytics', 'A store has no metrics', 'Request a social account.'),
  'analytics.too_new': reason(
    'analytics',
    'The platform reports metrics later than the posts were published',
    'Repeat the request a day after publishing.',
  ),
  'analytics.out_of_time': reason(
    'analytics',
    'The platform did not respond in time',
    'Repeat the request for newer metrics.',
  ),
  'analytics.posts_waiting': reason(
    'analytics',
    'Metrics of some posts are old or missing',
    'Repeat the request for newer metrics.',
  ),
  'analytics.posts_missing': reason(
    'analytics',
    'The platform does not report some posts',
    'Nothing; they were deleted there or are too recent.',
  ),
  'analytics.posts_not_listed': reason(
    'analytics',
    'Posts made elsewhere before a date are not included',
    'Repeat the request to list older posts, unless the platform lists no more.',
  ),
  'analytics.elsewhere_not_provided': reason(
    'analytics',
    'The platform lists no posts that were made elsewhere',
    'Nothing; posts made here are included.',
  ),
  'analytics.by_day': reason(
    'analytics',
    'The platform reports metrics of its accounts by day, and not of posts',
    'Request `basis=activity`, which includes them.',
  ),
  'analytics.decreased': reason(
    'analytics',
    'Counts decreased in the range',
    'Nothing; reactions were deleted, or the platform corrected its counts.',
  ),
  'analytics.no_baseline': reason(
    'analytics',
    'No earlier snapshot exists to compare with',
    'Nothing; what was gained after the first snapshot is included.',
  ),
} as const satisfies Record<string, ReasonFacts>;

const groups = { problems, others, connectErrors, attentionItems, events };

/**
 * The rows of the catalog for codes that are not failures of a request. A failure code keeps its meaning
 * wherever it appears, so that it needs no row here.
 */
export const reasonCodes: readonly (ReasonFacts & { readonly code: string })[] = Object.values(
  groups,
).flatMap((group) =>
  Object.entries(group).map(([code, facts]: [string, ReasonFacts]) => ({ code, ...facts })),
);

type CodeAt<Place extends CodePlace> = {
  [Code in keyof typeof others]: (typeof others)[Code]['place'] extends Place ? Code : never;
}[keyof typeof others];

/** A code of `Problem`, as an error or a warning. */
export type ProblemCode = FailureCode | keyof typeof problems | CodeAt<'warning'>;
export type DeliveryErrorCode = FailureCode | CodeAt<'delivery'>;
export type MediaErrorCode = FailureCode | CodeAt<'media'>;
export type OrderNoteCode = CodeAt<'order_source'>;
export type AnalyticsNoteCode = FailureCode | CodeAt<'analytics'>;
