import { findPostApprovalContext, holdForApproval, updatePostApproval } from '../approvals/post-approval.js';
import type { Call } from '../call.js';
import { canonicalJson } from '../canonical-json.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { isStale, preconditionFailed } from '../version.js';
import { enqueuePosts } from './enqueue-posts.js';
import type { CreatePorts, CreatePostFailure } from './create-post.js';
import { getPost, type GetPost } from './get-post.js';
import { storeMediaUses } from './store-media-uses.js';
import { lockContents, refuseDuplicates } from './guard-duplicates.js';
import { hasBegun, statusOf } from './post-status.js';
import { preparePost } from './prepare-post.js';
import type { Post, MediaUse } from './post.js';
import { recordDecision } from '../deliveries/record-decision.js';
import type { DraftMedia, DraftPost, DraftTarget } from './draft-post.js';
import { isLocalTime, parseInstant, schedule } from './schedule.js';

export type UpdatePorts = CreatePorts & Pick<AtomicPorts, 'deliveries'>;
export type UpdatePost = GetPost & PostChanges & { readonly allowDuplicate?: boolean | undefined };
export type UpdatePostFailure =
  | CreatePostFailure
  | 'post.not_found'
  | 'post.already_published'
  | 'post.cancelled'
  | 'request.precondition_failed';

/**
 * Changes a post before its publishing starts. Everything is validated again, and from then on only the new
 * version can be published. An approval covers only what was approved: a change of the content needs another one.
 */
export async function updatePost(
  ports: UpdatePorts,
  call: Call,
  { id, allowDuplicate, ...changes }: UpdatePost,
): Promise<Result<Post, UpdatePostFailure>> {
  const found = await getPost(ports, call, { id });
  if (!found.ok) return found;
  const before = await ports.posts.lock(call.workspaceId, found.value.id);
  if (!before) return notFound('post');
  if (isStale(call, before)) return preconditionFailed('post', nextCall.getPost(before.id));
  const now = ports.clock.now();
  const next = nextCall.getPost(before.id);
  if (statusOf(before, now) === 'cancelled')
    return refuse('post.cancelled', 'The post was cancelled: create a new one.', { next });
  if (hasBegun(before)) {
    const message = 'Publishing has started: only edit_published: true changes what is published.';
    return refuse('post.already_published', message, { next });
  }
  if (keepsRequest(before, changes, now)) return ok(before);
  const prepared = await preparePost(ports, call, amendPost(before, changes, now), before);
  if (!prepared.ok) return prepared;
  const context = await findPostApprovalContext(ports, call, before);
  const kept = changes.targets ? prepared.value : keepCancelled(prepared.value, before);
  const post = holdForApproval(ports, kept, context);
  if (!allowDuplicate) {
    const live = post.deliveries.filter(({ status }) => status !== 'cancelled');
    await lockContents(ports, live);
    const unique = await refuseDuplicates(ports, call, live);
    if (!unique.ok) return unique;
  }
  await ports.posts.rewrite(post);
  const stored = await storeMediaUses(ports, call, post, before);
  if (!stored.ok) return stored;
  for (const delivery of post.deliveries) await recordDecision(ports, call, delivery, 'updated');
  await enqueuePosts(ports, [post], 'updated', now);
  await updatePostApproval(ports, call, post, context);
  return ok((await ports.posts.find(call.workspaceId, post.id)) ?? post);
}

/**
 * Whether an edit requests exactly what the post is. One that names the targets plans them again where they are
 * all accounts, or where a delivery was cancelled on its own.
 */
function keepsRequest(before: Post, changes: PostChanges, now: Date): boolean {
  const plansAgain =
    changes.targets !== undefined &&
    (changes.targets === 'all' || before.deliveries.some(({ status }) => status === 'cancelled'));
  if (plansAgain) return false;
  return canonicalDraft(amendPost(before, changes, now)) === canonicalDraft(amendPost(before, {}, now));
}

/** Equal for drafts that request the same: an instant is the same in every offset. */
const canonicalDraft = ({ media, thread, targets, scheduledAt, ...draft }: DraftPost): string =>
  canonicalJson({
    ...draft,
    scheduledAt: canonicalTime(scheduledAt),
    media: media?.map(canonicalMedia),
    thread: thread?.map((item) => ({ ...item, media: item.media?.map(canonicalMedia) })),
    targets: Array.isArray(targets)
      ? (targets as readonly DraftTarget[]).map((target) => ({
          ...target,
          scheduledAt: canonicalTime(target.scheduledAt),
          media: target.media?.map(canonicalMedia),
        }))
      : targets,
  });

/** An invalid time stays as it is: it equals no stored one, and its validation follows. */
const canonicalTime = (text: string | undefined) =>
  text === undefined || isLocalTime(text) ? text : (parseInstant(text)?.toISOString() ?? text);

/** A URL without an id is downloaded again. */
const canonicalMedia = ({ mediaId, url, altText }: DraftMedia): DraftMedia => ({
  mediaId,
  altText,
  url: mediaId === undefined ? url : undefined,
});

/** A delivery that was cancelled on its own stays cancelled, unless the edit names the targets. */
const keepCancelled = (post: Post, before: Post): Post => ({
  ...post,
  deliveries: post.deliveries.map((delivery) => {
    const earlier = before.deliveries.find(({ id }) => id === delivery.id);
    return earlier?.status === 'cancelled' ? { ...delivery, status: 'cancelled' } : delivery;
  }),
});

/** The changes of an edit. Null resets a field to its default; an omitted field stays unchanged. */
export interface PostChanges extends Pick<
  DraftPost,
  'timezone' | 'targets' | 'media' | 'thread' | 'metadata' | 'draft' | 'queue'
> {
  readonly text?: string | undefined;
  readonly link?: string | null | undefined;
  readonly firstComment?: DraftPost['firstComment'] | null;
  readonly scheduledAt?: string | null | undefined;
  readonly notAfter?: Date | null | undefined;
  readonly externalId?: string | null | undefined;
}

/** The post as if it had been requested with these changes. Pure. */
function amendPost(before: Post, changes: PostChanges, now: Date): DraftPost {
  const { requested } = before;
  const timezone = changes.timezone ?? chosenTimezone(before);
  // A post that waits beyond its time, for a blocked account for example, is published as soon as possible:
  // its time is not rejected as past.
  const keepIfAhead = (scheduledAt: string | null | undefined) => {
    if (scheduledAt == null) return undefined;
    const profile = { timezone: before.timezone, isTimezoneSet: true };
    const when = schedule(now, { scheduledAt, timezone }, profile);
    const isPast = !when.ok && when.failure.code === 'post.time_past';
    return isPast && !before.draft ? undefined : scheduledAt;
  };
  const targets =
    requested.targets === 'all'
      ? requested.targets
      : requested.targets.map(({ media, ...target }) => ({
          ...target,
          ...(media && { media: media.map(toDraftMedia) }),
          scheduledAt: keepIfAhead(target.scheduledAt),
        }));
  const notAfter = requested.notAfter === null ? null : new Date(requested.notAfter);
  return {
    profileId: before.profileId,
    text: changes.text ?? before.text,
    link: mergeField(changes.link, before.link),
    media: changes.media ?? before.media.map(toDraftMedia),
    thread:
      changes.thread ?? before.thread.map(({ text, media }) => ({ text, media: media.map(toDraftMedia) })),
    firstComment: mergeField(changes.firstComment, before.firstComment),
    ...amendTime(before, changes, now, keepIfAhead),
    timezone,
    notAfter: mergeField(changes.notAfter, notAfter),
    targets: changes.targets ?? targets,
    externalId: mergeField(changes.externalId, before.externalId),
    metadata: changes.metadata ?? before.metadata,
    draft: changes.draft ?? before.draft,
  };
}

/** A queued post that asks for the next slot again keeps the one that it has. */
function amendTime(
  { requested, queueSlot, draft }: Post,
  { scheduledAt, queue = draft && scheduledAt === undefined ? requested.queue : undefined }: PostChanges,
  now: Date,
  keepIfAhead: (scheduledAt: string | null) => string | undefined,
): Pick<DraftPost, 'scheduledAt' | 'queue'> {
  const hasSlot = queue === 'next' && !draft && queueSlot !== null && queueSlot > now;
  const kept = queue === undefined || hasSlot ? keepIfAhead(requested.scheduledAt) : undefined;
  return {
    scheduledAt: scheduledAt === undefined ? kept : (scheduledAt ?? undefined),
    queue: hasSlot && scheduledAt === undefined ? undefined : queue,
  };
}

/** The time zone of the post, where its caller or its profile chose it: the profile's default is no choice. */
function chosenTimezone({
  requested: { targets, scheduledAt, timezone },
  ...post
}: Post): string | undefined {
  const times = [scheduledAt, ...(targets === 'all' ? [] : targets.map((target) => target.scheduledAt))];
  return timezone != null || times.some(isLocalTime) ? post.timezone : undefined;
}

/** Media that was resolved once is not downloaded again. */
const toDraftMedia = ({ mediaId, url, altText }: MediaUse): DraftMedia => ({
  mediaId,
  url: url ?? undefined,
  altText: altText ?? undefined,
});

const mergeField = <Value>(change: Value | null | undefined, before: Value | null): Value | undefined =>
  (change === undefined ? before : change) ?? undefined;
