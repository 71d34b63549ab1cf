import type { Delivery, DeliveryPart } from '../deliveries/delivery.js';
import { notFound, refuse, type Problem } from '../failure.js';
import { ok, type Result } from '../result.js';
import type { DraftMedia, DraftPost, DraftTarget } from './draft-post.js';
import type { MediaUse, Post, PostRequest } from './post.js';
import { resolveContents, type ResolvedContent } from './resolve-contents.js';
import type { PostChanges } from './update-post.js';

/** A delivery that an edit concerns, with the contents that it is to have. Media is left out: it stays as it is. */
export interface PlannedEdit {
  readonly delivery: Delivery;
  readonly contents: readonly ResolvedContent[];
  /** Its path in the caller's request, or in the post. */
  readonly path: string;
}

interface EditPlan {
  /** The request as it is stored: its deliveries are those of before. */
  readonly post: Post;
  readonly deliveries: readonly PlannedEdit[];
}

type PlanFailure = 'connection.not_found' | 'post.edit_unsupported' | 'post.target_ambiguous';

/**
 * What an edit of a published post changes. Targets select the accounts: their text, title and link, and those of the
 * post, then apply to these alone, and all others keep theirs. Pure.
 */
export function planEdit(before: Post, changes: PostChanges): Result<EditPlan, PlanFailure> {
  const problems = findFixedFields(before, changes);
  if (problems.length > 0)
    return refuse('post.edit_unsupported', problems.map(({ message }) => message).join(' '), { problems });
  const chosen = chooseTargets(before, changes);
  if (!chosen.ok) return chosen;
  const isSelection = Array.isArray(changes.targets);
  const common = isSelection ? {} : changes;
  const post: Post = {
    ...before,
    text: common.text ?? before.text,
    link: common.link === undefined ? before.link : common.link,
    thread: before.thread.map((item, at) => ({ ...item, text: common.thread?.[at]?.text ?? item.text })),
    firstComment: common.firstComment ?? before.firstComment,
    requested: isSelection ? withTargets(before, chosen.value, changes) : before.requested,
    externalId: changes.externalId === undefined ? before.externalId : changes.externalId,
    metadata: changes.metadata ?? before.metadata,
  };
  const draft: DraftPost = {
    text: post.text,
    link: post.link ?? undefined,
    thread: post.thread.map(({ text }) => ({ text })),
    firstComment: post.firstComment ?? undefined,
  };
  const { targets } = post.requested;
  return ok({
    post,
    deliveries: chosen.value.map(({ delivery, path }) => ({
      delivery,
      path,
      contents: resolveContents(draft, { ...targetOf(targets, delivery), media: [] }, () => []),
    })),
  });
}

/** Deleted and cancelled deliveries are no part of what is published. */
const keptStatuses: readonly Delivery['status'][] = ['deleted', 'cancelled'];

interface ChosenDelivery {
  readonly delivery: Delivery;
  readonly target: DraftTarget;
  readonly path: string;
}

function chooseTargets(
  { deliveries }: Post,
  { targets = 'all' }: PostChanges,
): Result<readonly ChosenDelivery[], PlanFailure> {
  const live = deliveries.flatMap((delivery, at) =>
    keptStatuses.includes(delivery.status) ? [] : [{ delivery, target: {}, path: `deliveries.${at}` }],
  );
  if (targets === 'all')
    return live.some(({ delivery }) => delivery.parts.some(isPublished)) ? ok(live) : nothingPublished;
  const chosen: ChosenDelivery[] = [];
  for (const [at, target] of targets.entries()) {
    const fitting = live.filter(({ delivery }) => isTarget(target, delivery));
    const [only, ...others] = fitting;
    if (!only) return notFound('connection');
    if (others.length > 0) {
      return refuse(
        'post.target_ambiguous',
        `The post was published on several connections of ${only.delivery.platform}. Select one with connection_id.`,
        { candidates: fitting.map(({ delivery }) => ({ connection_id: delivery.connectionId })) },
      );
    }
    if (!chosen.some(({ delivery }) => delivery === only.delivery))
      chosen.push({ ...only, target, path: `targets.${at}` });
  }
  return chosen.some(({ delivery }) => delivery.parts.some(isPublished)) ? ok(chosen) : nothingPublished;
}

const isPublished = ({ status }: DeliveryPart): boolean => status === 'published';

const nothingPublished = refuse(
  'post.edit_unsupported',
  'Nothing of the post is published on these accounts. Create a new post with the new text.',
);

const isTarget = (
  { connectionId, platform }: Pick<DraftTarget, 'connectionId' | 'platform'>,
  delivery: Delivery,
): boolean =>
  connectionId === undefined ? platform === delivery.platform : connectionId === delivery.connectionId;

type RequestedTarget = Exclude<PostRequest['targets'], 'all'>[number];

/** The caller's settings for a delivery: by its connection, else by its platform. */
const targetOf = (targets: PostRequest['targets'], delivery: Delivery): RequestedTarget =>
  targets === 'all'
    ? {}
    : (targets.find(({ connectionId }) => connectionId === delivery.connectionId) ??
      targets.find((target) => isTarget(target, delivery)) ??
      {});

/** The request with the changes of the selected accounts as their own: the others keep theirs. */
function withTargets(
  { requested, deliveries }: Post,
  chosen: readonly ChosenDelivery[],
  { text, link }: PostChanges,
): PostRequest {
  const targets = deliveries.map((delivery): RequestedTarget => {
    const { platform: _, ...earlier } = targetOf(requested.targets, delivery);
    const own = { ...earlier, connectionId: delivery.connectionId };
    const selected = chosen.find((one) => one.delivery === delivery)?.target;
    if (!selected) return own;
    const changed = {
      text: selected.text ?? text,
      title: selected.title,
      link: selected.link === undefined ? link : selected.link,
    };
    const given = Object.entries(changed).filter(([, value]) => value !== undefined);
    return { ...own, ...Object.fromEntries(given) };
  });
  return { ...requested, targets };
}

/** Fields that no platform can change after publishing, or that have no meaning any more. */
function findFixedFields(before: Post, changes: PostChanges): readonly Problem[] {
  const problems: Problem[] = [];
  const add = (path: string, message: string) =>
    problems.push({ path, code: 'post.edit_unsupported', message });
  const times = { scheduled_at: changes.scheduledAt, not_after: changes.notAfter, queue: changes.queue };
  for (const [path, value] of Object.entries({ ...times, timezone: changes.timezone }))
    if (value !== undefined) add(path, `The post is published: omit ${path}.`);
  if (changes.draft) add('draft', 'A published post cannot become a draft.');
  if (changes.media && !isSameMedia(changes.media, before.media)) add('media', MEDIA_STAYS);
  if (changes.thread && changes.thread.length !== before.thread.length)
    add('thread', `A thread keeps its number of replies: send ${before.thread.length}.`);
  for (const [at, { media }] of (changes.thread ?? []).entries())
    if (media && !isSameMedia(media, before.thread[at]?.media ?? [])) add(`thread.${at}.media`, MEDIA_STAYS);
  if (
    changes.firstComment !== undefined &&
    (changes.firstComment === null) !== (before.firstComment === null)
  )
    add('first_comment', 'An edit changes the first comment, and neither adds nor removes it.');
  const { targets } = changes;
  if (!Array.isArray(targets)) return problems;
  for (const [at, target] of (targets as readonly DraftTarget[]).entries()) {
    const fixed = { media: target.media, options: target.options, scheduled_at: target.scheduledAt };
    for (const [name, value] of Object.entries(fixed))
      if (value !== undefined)
        add(`targets.${at}.${name}`, `An edit changes text, title and link: omit ${name}.`);
  }
  for (const name of ['thread', 'firstComment'] as const)
    if (changes[name] !== undefined) {
      const path = name === 'thread' ? 'thread' : 'first_comment';
      add(path, `${path} is common to all accounts: send it without targets.`);
    }
  return problems;
}

const MEDIA_STAYS =
  'Published media cannot be changed: omit media, or unpublish the post and create a new one.';

const isSameMedia = (requested: readonly DraftMedia[], published: readonly MediaUse[]): boolean =>
  requested.length === published.length &&
  requested.every(({ mediaId, url, altText }, at) => {
    const use = published[at];
    const isSameFile = mediaId === undefined ? url === use?.url : mediaId === use?.mediaId;
    return isSameFile && (altText === undefined || altText === use?.altText);
  });
