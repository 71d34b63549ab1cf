import { joinNames, nextCall, type NextCall } from '@switchboard/domain';
import { satisfies, type Scope } from '@switchboard/domain/access';
import { describeAccount } from '@switchboard/domain/connections';
import {
  publicDeliveryStatuses,
  publicStatusOf,
  removedAtOf,
  type CheckedPost,
  type Delivery,
  type PresenceCheck,
} from '@switchboard/domain/deliveries';
import { ALT_TEXT_MAX } from '@switchboard/domain/media';
import {
  postStatuses,
  describeTime,
  formatLocalTime,
  heldByOf,
  statusOf,
  type PostRequest,
  type MediaUse,
  type Post,
} from '@switchboard/domain/posts';
import { describePauseScope, type PauseScope } from '@switchboard/domain/pauses';
import { z } from 'zod';
import { approvalStateShape, presentApprovalState } from '../approvals/approval-shape.js';
import { formatCount } from '../format-count.js';
import type { PresentationContext, SentenceNames } from '../define.js';
import { heldBy } from '../pauses/pause-shape.js';
import { errorShape, presentError } from '../pipeline/error-shape.js';
import { truncateText } from '../truncate-text.js';
import {
  components,
  id,
  instant,
  isoTime,
  isoTimeOrNull,
  inputKinds,
  metadata,
  platformId,
  time,
  timezone,
} from '../shapes.js';

export const exampleDeliveryId = 'dlv_01kah3v5w8e2m6r9t0x4y7z1ab';

export const postStatus = z.enum(postStatuses).register(components, { id: 'PostStatus' });

export const deliveryStatus = z.enum(publicDeliveryStatuses).register(components, { id: 'DeliveryStatus' });

const deliveryShape = z.object({
  id: z.string(),
  connection_id: z.string(),
  platform: z.string(),
  account: z.object({ id: z.string(), username: z.string().nullable(), name: z.string().nullable() }),
  status: deliveryStatus,
  editing: z.boolean().optional(),
  scheduled_at: time,
  attempts: z.int(),
  parts: z.array(
    z.object({
      index: z.int(),
      status: z.string(),
      external_id: z.string().nullable(),
      url: z.string().nullable(),
      removed_at: time.optional(),
    }),
  ),
  external_id: z.string().nullable(),
  url: z.string().nullable(),
  published_at: time.nullable(),
  removed_at: time.nullable().describe('When it was found removed at the platform.'),
  at_platform: z
    .object({ status: z.enum(['exists', 'removed', 'unknown']), error: errorShape.nullable() })
    .describe('With refresh: what the platform says now.')
    .optional(),
  error: errorShape.nullable(),
  next_attempt_at: time.nullable(),
  held_by: heldBy.nullable().describe('What is paused and holds it.'),
});
deliveryShape.register(components, { id: 'Delivery' });

const mediaUseShape = z.object({
  media_id: z.string(),
  url: z.string().nullable(),
  alt_text: z.string().nullable(),
});
mediaUseShape.register(components, { id: 'PostMedia' });

/** A target as it was requested; its delivery is the result. */
const requestedTargetShape = z.object({
  connection_id: z.string().optional(),
  platform: z.string().optional(),
  title: z.string().optional(),
  text: z.string().optional(),
  link: z.string().nullable().optional(),
  media: z.array(mediaUseShape).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  scheduled_at: z.string().optional(),
});
requestedTargetShape.register(components, { id: 'RequestedTarget' });

export const postShape = z.object({
  id: z.string(),
  profile_id: z.string(),
  text: z.string(),
  status: postStatus,
  scheduled_at: time.nullable(),
  scheduled_at_local: z.string().nullable(),
  timezone: z.string(),
  not_after: time.nullable(),
  link: z.string().nullable(),
  media: z.array(mediaUseShape),
  thread: z.array(z.object({ text: z.string(), media: z.array(mediaUseShape) })),
  first_comment: z.object({ text: z.string() }).nullable(),
  targets: z.union([z.literal('all'), z.array(requestedTargetShape)]),
  deliveries: z.array(deliveryShape),
  skipped: z.array(z.object({ connection_id: z.string(), platform: z.string(), status: z.string() })),
  external_id: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  approval: approvalStateShape.nullable().describe('The latest request for a person’s approval.'),
  created_by: z.string(),
  created_at: time,
  updated_at: time,
});
postShape.register(components, { id: 'Post' });

export const webUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .meta({ examples: ['https://example.com/spring'] });

const timeInput = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/,
    'a time such as 2026-12-01T09:00:00+01:00, or a local one with timezone',
  );

/**
 * Either a URL or an id: the use case reports which of the two is missing, because a union would report every
 * problem twice.
 */
const media = z
  .array(
    z
      .strictObject({
        url: webUrl.optional(),
        media_id: id('med_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
        alt_text: z.string().max(ALT_TEXT_MAX).optional(),
      })
      .register(components, { id: 'PostMediaInput' }),
  )
  .max(50);

const target = z.strictObject({
  connection_id: id('con_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
  platform: platformId.optional(),
  title: z.string().min(1).max(1000).optional(),
  text: z.string().max(100_000).optional(),
  link: webUrl.nullable().optional(),
  media: media.optional(),
  options: z
    .record(z.string().max(60), z.unknown())
    .describe('By name; see get_publishing_options.')
    .optional(),
  scheduled_at: timeInput.optional(),
});
target.register(components, { id: 'PostTargetInput' });

export const deliveryIds = z
  .array(id(exampleDeliveryId))
  .min(1)
  .max(50)
  .describe('Default: all.')
  .register(inputKinds, { kind: 'selection' });

const targets = z
  .union([z.literal('all'), z.array(target).min(1).max(50)], {
    error: '"all", or a list such as [{"connection_id": "con_…"}] or [{"platform": "bluesky"}]',
  })
  .describe('"all": every usable account. Or a list, by account or platform.');

const thread = z
  .array(z.strictObject({ text: z.string().max(100_000).optional(), media: media.optional() }))
  .max(50)
  .register(components, { id: 'PostThreadInput' });
const firstComment = z.strictObject({ text: z.string().min(1).max(100_000) });

/** The body of a post, shared by creation and validation. */
export const draftShape = z.strictObject({
  profile_id: id('prf_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
  text: z.string().max(100_000).describe('Text or media is needed.').optional(),
  link: webUrl.describe('Link of the post.').optional(),
  media: media.describe('Each by url or media_id.').optional(),
  thread: thread.describe('Replies, in order.').optional(),
  first_comment: firstComment.describe('Own first comment.').optional(),
  scheduled_at: timeInput.describe('With an offset, or local in timezone. Default: now.').optional(),
  queue: z.enum(['next']).describe('Next free slot.').optional(),
  timezone: timezone.describe('For a local time; default: the profile’s.').optional(),
  not_after: instant.describe('Not sent later. Default: 6 h later.').optional(),
  targets: targets.optional(),
  external_id: z.string().min(1).max(200).describe('Your own id.').optional(),
  metadata: metadata.optional(),
  draft: z.boolean().describe('Store without publishing.').optional(),
  allow_duplicate: z.boolean().describe('Allow a repeat within a day.').optional(),
});
draftShape.register(components, { id: 'PostDraft' });

/** The fields of a post that can be updated. Null resets a field to its default. */
export const changesShape = draftShape.omit({ profile_id: true }).extend({
  link: draftShape.shape.link.nullable(),
  first_comment: draftShape.shape.first_comment.nullable(),
  scheduled_at: timeInput.describe('With an offset, or local in timezone. Null: now.').nullable().optional(),
  not_after: draftShape.shape.not_after.nullable(),
  external_id: draftShape.shape.external_id.nullable(),
});

/** Over MCP the targets are required: an agent must not publish everywhere by omitting a field. */
export const draftToolInput = draftShape.extend({ targets: draftShape.shape.targets.unwrap() });

type PostContext = Pick<PresentationContext, 'call' | 'now' | 'ports'>;

const presentDelivery = (
  post: CheckedPost,
  delivery: Delivery,
  context: PostContext,
): z.input<typeof deliveryShape> => ({
  id: delivery.id,
  connection_id: delivery.connectionId,
  platform: delivery.platform,
  account: { ...delivery.account },
  status: publicStatusOf(delivery),
  ...(delivery.edit !== null && { editing: true }),
  scheduled_at: isoTime(delivery.scheduledAt),
  attempts: delivery.attempts,
  parts: delivery.parts.map(({ index, status, externalId, url, removedAt }) => ({
    index,
    status,
    external_id: externalId,
    url,
    ...(removedAt !== undefined && { removed_at: removedAt }),
  })),
  external_id: delivery.externalId,
  url: delivery.url,
  published_at: isoTimeOrNull(delivery.publishedAt),
  removed_at: removedAtOf(delivery),
  ...presentCheck(post.checks?.get(delivery.id)),
  error: delivery.error && withNextCall(presentError(delivery.error), delivery, context),
  next_attempt_at: isoTimeOrNull(delivery.nextAttemptAt),
  held_by: heldByOf(post, delivery),
});

const presentCheck = (check: PresenceCheck | undefined): Pick<z.input<typeof deliveryShape>, 'at_platform'> =>
  check ? { at_platform: { status: check.status, error: check.failure && presentError(check.failure) } } : {};

/** With the call that resolves the error of a delivery, or else shows what would resolve it. */
function withNextCall(
  error: z.input<typeof errorShape>,
  delivery: Delivery,
  { call: { actor }, ports: { manifests } }: PostContext,
): z.input<typeof errorShape> {
  const { call, scope } = resolvingCall(error, delivery, manifests);
  const isAllowed = actor.kind !== 'key' || satisfies(actor.key.scopes, scope);
  const next = isAllowed ? call : nextCall.getPost(delivery.postId);
  return { ...error, next: { operation: next.operation, arguments: { ...next.arguments } } };
}

function resolvingCall(
  { code, retryable, who_can_fix }: z.input<typeof errorShape>,
  { id, postId, connectionId, platform, status }: Delivery,
  manifests: PostContext['ports']['manifests'],
): { readonly call: NextCall; readonly scope: Scope } {
  if (who_can_fix === 'account_owner') {
    return { call: nextCall.startConnect({ connection_id: connectionId }), scope: 'connections:write' };
  }
  const readsBack = manifests.getAbilities(platform).publishing?.readBack === true;
  if (status === 'unknown' || (status === 'needs_review' && readsBack)) {
    return { call: nextCall.recheckDelivery(postId, id), scope: 'posts:write' };
  }
  if (status === 'missed' || (status === 'failed' && retryable)) {
    return { call: nextCall.retryPost(postId, id), scope: 'posts:write' };
  }
  if (code === 'connection.not_found') {
    return { call: nextCall.listConnections(), scope: 'connections:read' };
  }
  if (status === 'failed' && who_can_fix === 'caller') {
    return { call: nextCall.getPublishingOptions(connectionId), scope: 'posts:read' };
  }
  if (status === 'failed' && who_can_fix === 'operator') {
    return { call: nextCall.getPlatform(platform), scope: 'posts:read' };
  }
  return { call: nextCall.getPost(postId), scope: 'posts:read' };
}

const presentMediaUse = ({ mediaId, url, altText }: MediaUse): z.input<typeof mediaUseShape> => ({
  media_id: mediaId,
  url,
  alt_text: altText,
});

const presentTargets = ({ targets }: PostRequest): z.input<typeof postShape>['targets'] =>
  targets === 'all'
    ? targets
    : targets.map(({ connectionId, scheduledAt, media, ...target }) => ({
        ...target,
        ...(media && { media: media.map(presentMediaUse) }),
        ...(connectionId !== undefined && { connection_id: connectionId }),
        ...(scheduledAt !== undefined && { scheduled_at: scheduledAt }),
      }));

/** A draft that was created without a time has none. */
const hasScheduledTime = ({ draft, requested }: Post) => !draft || requested.scheduledAt !== null;

export const presentPost = (post: CheckedPost, context: PostContext): z.input<typeof postShape> => ({
  id: post.id,
  profile_id: post.profileId,
  text: post.text,
  status: statusOf(post, context.now),
  scheduled_at: hasScheduledTime(post) ? isoTime(post.scheduledAt) : null,
  scheduled_at_local: hasScheduledTime(post) ? formatLocalTime(post.scheduledAt, post.timezone) : null,
  timezone: post.timezone,
  not_after: hasScheduledTime(post) ? isoTime(post.notAfter) : null,
  link: post.link,
  media: post.media.map(presentMediaUse),
  thread: post.thread.map(({ text, media }) => ({ text, media: media.map(presentMediaUse) })),
  first_comment: post.firstComment && { text: post.firstComment.text },
  targets: presentTargets(post.requested),
  deliveries: post.deliveries.map((delivery) => presentDelivery(post, delivery, context)),
  skipped: post.skipped.map(({ connectionId, platform, status }) => ({
    connection_id: connectionId,
    platform,
    status,
  })),
  external_id: post.externalId,
  metadata: post.metadata,
  approval: presentApprovalState(post.approval),
  created_by: post.createdBy,
  created_at: isoTime(post.createdAt),
  updated_at: isoTime(post.updatedAt),
});

/** The length of the text excerpt that identifies a post in a list. */
const BRIEF_CHARACTERS = 120;

/** Enough of a post to identify it, with its delivery to each account. */
export const compactPost = ({ deliveries, ...post }: z.output<typeof postShape>) => ({
  id: post.id,
  status: post.status,
  text: truncateText(post.text, BRIEF_CHARACTERS),
  scheduled_at: post.scheduled_at,
  created_at: post.created_at,
  deliveries: deliveries.map(
    ({ id, connection_id, platform, status, published_at, url, error, held_by }) => ({
      id,
      connection_id,
      platform,
      status,
      published_at,
      url,
      error: error && { code: error.code },
      ...(held_by && { held_by }),
    }),
  ),
});

/** The next step for unpublished deliveries. Sending the same content again does not change a rejection. */
const remedies = {
  again: 'retry_post sends only that',
  mend: 'see its error: fix the post and create_post to that account only',
  others: 'see its error for who has to fix what before retry_post',
} as const;

function remedyOf({ status, error }: z.output<typeof deliveryShape>): keyof typeof remedies {
  if (status === 'missed' || !error || error.retryable) return 'again';
  return error.who_can_fix === 'caller' ? 'mend' : 'others';
}

const refusals = {
  rejected:
    'A person rejected the post, and nothing was published. approval.note gives the reason; update_post requests a decision about the corrected post.',
  expired: 'No person decided in time, and nothing was published. retry_post requests a decision again.',
} as const;

const holdClause = (scope: PauseScope, accounts: string): string =>
  `publishing is paused for ${describePauseScope(scope)}, which holds ${accounts}: sent when resumed, do not create it again (list_attention states the reason)`;

/** "Published on 2 of 3: @ada (Mastodon) and @ada.dev (Bluesky); @ada (X) may already be live, do not resend." */
export function postSentence(
  { id, status, deliveries, skipped, timezone, approval }: z.output<typeof postShape>,
  { platformName }: SentenceNames,
): string {
  const on = (...statuses: string[]) => deliveries.filter((delivery) => statuses.includes(delivery.status));
  const nameAccounts = (some: typeof deliveries) =>
    joinNames(some.map(({ account, platform }) => describeAccount(account, platformName(platform))));
  if (status === 'draft')
    return `Stored the draft ${id}: nothing is published until update_post sets draft: false.`;
  if (status === 'cancelled') return `Cancelled ${id}.`;
  if (status === 'deleted') return `Deleted ${id} from ${nameAccounts(deliveries)}.`;
  if (status === 'awaiting_approval') {
    const until = approval === null ? '' : `, until ${approval.expires_at}`;
    return `A person has to approve ${id} before it is published on ${nameAccounts(on('pending'))}${until}. Nothing is published yet; do not create it again. get_post returns the decision.`;
  }
  const refusal = approval?.status === 'rejected' || approval?.status === 'expired' ? approval.status : null;
  if (refusal && deliveries.some(({ error }) => error?.code === `approval.${refusal}`))
    return `${refusals[refusal]} (${id})`;
  const left = skipped.length > 0 ? `; ${formatCount(skipped.length, 'account')} skipped, see skipped` : '';
  const waiting = status === 'scheduled' ? on('pending') : [];
  const published = on('published');
  const parts: string[] = [];
  if (waiting.length > 0) {
    const times = [...Map.groupBy(waiting, ({ scheduled_at }) => scheduled_at)];
    const plans = times.map(
      ([at, some]) => `for ${describeTime(new Date(at), timezone)} on ${nameAccounts(some)}`,
    );
    parts.push(`Scheduled ${plans.join(' and ')}`);
    const failing = waiting.filter(({ error }) => error !== null);
    if (failing.length > 0) parts.push(`${nameAccounts(failing)} would fail, see error`);
  }
  if (published.length > 0) {
    parts.push(`Published on ${published.length} of ${deliveries.length}: ${nameAccounts(published)}`);
  } else if (waiting.length === 0) parts.push(`Published on 0 of ${deliveries.length}`);
  const unconfirmed = on('unknown', 'needs_review');
  const inProgress = on('pending', 'sending', 'retrying').filter(
    (delivery) => !waiting.includes(delivery) && delivery.held_by === null,
  );
  if (unconfirmed.length > 0) parts.push(`${nameAccounts(unconfirmed)} may already be live, do not resend`);
  if (inProgress.length > 0) parts.push(`${nameAccounts(inProgress)} in progress, check with get_post`);
  const ended = on('failed', 'missed');
  for (const [remedy, words] of Object.entries(remedies)) {
    const some = ended.filter((delivery) => remedyOf(delivery) === remedy);
    if (some.length > 0) parts.push(`not published on ${nameAccounts(some)}, ${words}`);
  }
  const editing = deliveries.filter((delivery) => delivery.editing === true && delivery.held_by === null);
  if (editing.length > 0)
    parts.push(`the edit on ${nameAccounts(editing)} is not confirmed yet, check with get_post`);
  const unedited = published.filter((delivery) => delivery.error !== null && !editing.includes(delivery));
  if (unedited.length > 0) parts.push(`${nameAccounts(unedited)} not changed as requested, see error`);
  if (on('blocked').length > 0) parts.push(`${nameAccounts(on('blocked'))} must be reconnected first`);
  const held = Map.groupBy(deliveries, ({ held_by }) => held_by);
  for (const [scope, some] of held) if (scope) parts.push(holdClause(scope, nameAccounts(some)));
  if (on('deleted').length > 0) parts.push(`deleted from ${nameAccounts(on('deleted'))}`);
  return `${parts.join('; ')}${left}. (${id})`;
}

export const examplePost: z.input<typeof postShape> = {
  id: 'pst_01kah3v5w8e2m6r9t0x4y7z1ab',
  profile_id: 'prf_01kah3v5w8e2m6r9t0x4y7z1ab',
  text: 'Spring blends are here',
  status: 'published',
  scheduled_at: '2026-11-21T09:00:00.000Z',
  scheduled_at_local: '2026-11-21T10:00:00',
  timezone: 'Europe/Madrid',
  not_after: '2026-11-21T15:00:00.000Z',
  link: 'https://example.com/spring',
  media: [],
  thread: [],
  first_comment: null,
  targets: 'all',
  deliveries: [
    {
      id: exampleDeliveryId,
      connection_id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab',
      platform: 'bluesky',
      account: { id: 'did:plc:ewvi7nxzyoun6zhxrhs64oiz', username: 'lumen.coffee', name: 'Lumen Coffee' },
      status: 'published',
      scheduled_at: '2026-11-21T09:00:00.000Z',
      attempts: 1,
      parts: [
        {
          index: 0,
          status: 'published',
          external_id: '3lbg4k2m7xs2a',
          url: 'https://bsky.app/profile/lumen.coffee/post/3lbg4k2m7xs2a',
        },
      ],
      external_id: '3lbg4k2m7xs2a',
      url: 'https://bsky.app/profile/lumen.coffee/post/3lbg4k2m7xs2a',
      published_at: '2026-11-21T09:00:01.000Z',
      removed_at: null,
      error: null,
      next_attempt_at: null,
      held_by: null,
    },
  ],
  skipped: [],
  external_id: null,
  metadata: { campaign: 'spring' },
  approval: null,
  created_by: 'key_01kah3v5w8e2m6r9t0x4y7z1ab',
  created_at: '2026-11-21T09:00:00.000Z',
  updated_at: '2026-11-21T09:00:01.000Z',
};
