import {
  ALT_TEXT_MAX,
  formatLocalTime,
  statusOf,
  type PostRequest,
  type Delivery,
  type MediaUse,
  type Post,
} from '@switchboard/domain';
import { z } from 'zod';
import { formatCount } from '../format-count.js';
import type { PresentationContext } from '../define.js';
import { errorShape, presentError } from '../error-shape.js';
import { truncateText } from '../truncate-text.js';
import { id, instant, isoTime, isoTimeOrNull, metadata, time, timezone } from '../shapes.js';

export const exampleDeliveryId = 'dlv_01kah3v5w8e2m6r9t0x4y7z1ab';

export const postStatuses = z.enum([
  'draft',
  'awaiting_approval',
  'scheduled',
  'publishing',
  'needs_review',
  'published',
  'partially_published',
  'failed',
  'missed',
  'cancelled',
  'deleted',
]);

const deliveryShape = z.object({
  id: z.string(),
  connection_id: z.string(),
  platform: z.string(),
  account: z.object({ id: z.string(), username: z.string().nullable(), name: z.string().nullable() }),
  status: z.enum([
    'pending',
    'sending',
    'published',
    'failed',
    'retrying',
    'blocked',
    'unknown',
    'needs_review',
    'missed',
    'cancelled',
    'deleted',
  ]),
  scheduled_at: time,
  attempts: z.int(),
  parts: z.array(
    z.object({
      index: z.int(),
      status: z.string(),
      external_id: z.string().nullable(),
      url: z.string().nullable(),
    }),
  ),
  external_id: z.string().nullable(),
  url: z.string().nullable(),
  published_at: time.nullable(),
  error: errorShape.nullable(),
  next_attempt_at: time.nullable(),
});

const mediaUseShape = z.object({
  media_id: z.string(),
  url: z.string().nullable(),
  alt_text: z.string().nullable(),
});

/** A target as it was asked for; what it became is its delivery. */
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

export const postShape = z.object({
  id: z.string(),
  profile_id: z.string(),
  text: z.string(),
  status: postStatuses,
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
  created_by: z.string(),
  created_at: time,
  updated_at: time,
});

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

/** Either a URL or an id: which of the two is missing is told by the use case, since a union would say everything twice. */
const media = z
  .array(
    z.strictObject({
      url: webUrl.optional(),
      media_id: id('med_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
      alt_text: z.string().max(ALT_TEXT_MAX).optional(),
    }),
  )
  .max(50);

const target = z.strictObject({
  connection_id: id('con_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
  platform: id('bluesky').optional(),
  title: z.string().min(1).max(1000).describe('Where the platform has titles.').optional(),
  text: z.string().max(100_000).optional(),
  link: webUrl.nullable().optional(),
  media: media.optional(),
  options: z.record(z.string().max(60), z.unknown()).optional(),
  scheduled_at: timeInput.describe('Its own time.').optional(),
});

export const deliveryIds = z.array(id(exampleDeliveryId)).min(1).max(50);

const targetsShape = <Target extends z.ZodType>(one: Target) =>
  z.union([z.literal('all'), z.array(one).min(1).max(50)], {
    error: '"all", or a list such as [{"connection_id": "con_…"}] or [{"platform": "bluesky"}]',
  });
const targets = targetsShape(target);

const OPTIONS_DESCRIPTION = 'By name; get_publishing_options tells them.';
const describedTarget = target.extend({
  options: target.shape.options.unwrap().describe(OPTIONS_DESCRIPTION).optional(),
});

const thread = z
  .array(z.strictObject({ text: z.string().max(100_000).optional(), media: media.optional() }))
  .max(50);
const firstComment = z.strictObject({ text: z.string().min(1).max(100_000) });

/** The body of a post, the same for creating and for validating. */
export const draftShape = z.strictObject({
  profile_id: id('prf_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
  text: z.string().max(100_000).describe('Text or media is needed.').optional(),
  link: webUrl.optional(),
  media: media.optional(),
  thread: thread.describe('What follows, each answering the one before.').optional(),
  first_comment: firstComment.optional(),
  scheduled_at: timeInput.describe('With an offset, or local in timezone. Left out: now.').optional(),
  timezone: timezone.describe('Of a local scheduled_at; else the profile’s.').optional(),
  not_after: instant
    .describe('Later than this it is not sent: six hours after its time by default.')
    .optional(),
  targets: targetsShape(describedTarget)
    .describe('"all": every usable social account of the profile.')
    .optional(),
  external_id: z.string().min(1).max(200).optional(),
  metadata: metadata.optional(),
  draft: z.boolean().describe('Store it and send nothing.').optional(),
  allow_duplicate: z
    .boolean()
    .describe('Post although the same text goes to the same account within a day.')
    .optional(),
});

/** What create_post explains is not explained again by the tools beside it, which are read with it. */
const undescribedFields = {
  targets: targets.optional(),
  text: z.string().max(100_000).optional(),
  thread: thread.optional(),
  timezone: timezone.optional(),
  draft: z.boolean().optional(),
  allow_duplicate: z.boolean().optional(),
};

/** What can be changed of a post. Null takes a field back to what it is when it is left out. */
export const changesShape = draftShape.omit({ profile_id: true }).extend({
  ...undescribedFields,
  link: webUrl.nullable().optional(),
  first_comment: firstComment.nullable().optional(),
  scheduled_at: timeInput.describe('As in create_post; null: now.').nullable().optional(),
  not_after: instant.nullable().optional(),
  external_id: draftShape.shape.external_id.nullable(),
});

/** Over MCP the targets must be said: an agent does not post everywhere by leaving something out. */
export const draftToolInput = draftShape.extend({ targets: draftShape.shape.targets.unwrap() });

/** The same post, to be checked. */
export const validateToolInput = draftToolInput.extend({
  ...undescribedFields,
  targets,
  scheduled_at: timeInput.describe('As in create_post.').optional(),
  not_after: instant.optional(),
});

const presentDelivery = (delivery: Delivery): z.input<typeof deliveryShape> => ({
  id: delivery.id,
  connection_id: delivery.connectionId,
  platform: delivery.platform,
  account: { ...delivery.account },
  status: delivery.status,
  scheduled_at: isoTime(delivery.scheduledAt),
  attempts: delivery.attempts,
  parts: delivery.parts.map(({ index, status, externalId, url }) => ({
    index,
    status,
    external_id: externalId,
    url,
  })),
  external_id: delivery.externalId,
  url: delivery.url,
  published_at: isoTimeOrNull(delivery.publishedAt),
  error: delivery.error && presentError(delivery.error),
  next_attempt_at: isoTimeOrNull(delivery.nextAttemptAt),
});

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

/** A draft for which no time was asked has none. */
const hasScheduledTime = ({ draft, requested: asked }: Post) => !draft || asked.scheduledAt !== null;

export const presentPost = (
  post: Post,
  { now }: Pick<PresentationContext, 'now'>,
): z.input<typeof postShape> => ({
  id: post.id,
  profile_id: post.profileId,
  text: post.text,
  status: statusOf(post, now),
  scheduled_at: hasScheduledTime(post) ? isoTime(post.scheduledAt) : null,
  scheduled_at_local: hasScheduledTime(post) ? formatLocalTime(post.scheduledAt, post.timezone) : null,
  timezone: post.timezone,
  not_after: hasScheduledTime(post) ? isoTime(post.notAfter) : null,
  link: post.link,
  media: post.media.map(presentMediaUse),
  thread: post.thread.map(({ text, media }) => ({ text, media: media.map(presentMediaUse) })),
  first_comment: post.firstComment && { text: post.firstComment.text },
  targets: presentTargets(post.requested),
  deliveries: post.deliveries.map(presentDelivery),
  skipped: post.skipped.map(({ connectionId, platform, status }) => ({
    connection_id: connectionId,
    platform,
    status,
  })),
  external_id: post.externalId,
  metadata: post.metadata,
  created_by: post.createdBy,
  created_at: isoTime(post.createdAt),
  updated_at: isoTime(post.updatedAt),
});

/** As much of a text as a post is known by. */
const BRIEF_CHARACTERS = 120;

/** Enough of a post to know it by, and how it went on each account. */
export const compactPost = ({ deliveries, ...post }: z.output<typeof postShape>) => ({
  id: post.id,
  status: post.status,
  text: truncateText(post.text, BRIEF_CHARACTERS),
  scheduled_at: post.scheduled_at,
  created_at: post.created_at,
  deliveries: deliveries.map(({ id, connection_id, platform, status, published_at, url, error }) => ({
    id,
    connection_id,
    platform,
    status,
    published_at,
    url,
    error: error && { code: error.code },
  })),
});

/** What helps where something was not published. The same sent again does not change what was refused. */
const remedies = {
  again: 'retry_post sends only that',
  mend: 'its error says why: mend that and create_post to that account alone',
  others: 'its error says who has to mend what before retry_post helps',
} as const;

function remedyOf({ status, error }: z.output<typeof deliveryShape>): keyof typeof remedies {
  if (status === 'missed' || !error || error.retryable) return 'again';
  return error.who_can_fix === 'caller' ? 'mend' : 'others';
}

/** "Published on 2 of 3; bluesky may already be live, do not resend." */
export function postSentence({
  id,
  status,
  deliveries,
  scheduled_at,
  skipped,
}: z.output<typeof postShape>): string {
  const on = (...statuses: string[]) => deliveries.filter((delivery) => statuses.includes(delivery.status));
  const names = (some: typeof deliveries) => some.map(({ platform }) => platform).join(', ');
  if (status === 'draft')
    return `Kept the draft ${id}: nothing goes out before update_post says draft: false.`;
  if (status === 'cancelled') return `Cancelled ${id}.`;
  if (status === 'deleted') return `Deleted ${id} from ${names(deliveries)}.`;
  const left = skipped.length > 0 ? `; ${formatCount(skipped.length, 'account')} left out, see skipped` : '';
  if (status === 'scheduled') {
    return `Scheduled ${id} for ${scheduled_at} on ${names(deliveries)}${left}.`;
  }
  const parts = [`Published on ${on('published').length} of ${deliveries.length}`];
  const unconfirmed = on('unknown', 'needs_review');
  const inProgress = on('pending', 'sending', 'retrying');
  if (unconfirmed.length > 0) parts.push(`${names(unconfirmed)} may already be live, do not resend`);
  if (inProgress.length > 0) parts.push(`${names(inProgress)} still under way, ask with get_post`);
  const ended = on('failed', 'missed');
  for (const [remedy, words] of Object.entries(remedies)) {
    const some = ended.filter((delivery) => remedyOf(delivery) === remedy);
    if (some.length > 0) parts.push(`not published on ${names(some)}, ${words}`);
  }
  if (on('blocked').length > 0) parts.push(`${names(on('blocked'))} must be connected again first`);
  if (on('deleted').length > 0) parts.push(`deleted from ${names(on('deleted'))}`);
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
      error: null,
      next_attempt_at: null,
    },
  ],
  skipped: [],
  external_id: null,
  metadata: { campaign: 'spring' },
  created_by: 'key_01kah3v5w8e2m6r9t0x4y7z1ab',
  created_at: '2026-11-21T09:00:00.000Z',
  updated_at: '2026-11-21T09:00:01.000Z',
};
