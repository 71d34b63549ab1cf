import { actorName, type Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall, type NextCall } from '../next-call.js';
import type { AtomicPorts, ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { resolveMedia, toMediaUse, type MediaLookup, type ResolveMediaFailureCode } from './resolve-media.js';
import { composeDeliveries } from './compose-deliveries.js';
import type { DraftPost } from './draft-post.js';
import { findPostingProfile } from './find-targets.js';
import { planPost, type PostPlan, type PlanFailureCode, type PlanPorts } from './plan-post.js';
import type { PostRequest, MediaUse, Post } from './post.js';
import { parseInstant, schedule } from './schedule.js';
import { scheduleByQueue, type QueueFailureCode } from './schedule-by-queue.js';

export type PreparePorts = PlanPorts &
  Pick<ReadPorts, 'media' | 'tokens' | 'ids'> &
  Pick<AtomicPorts, 'postingQueues'>;
export type PrepareFailure = PlanFailureCode | ResolveMediaFailureCode | QueueFailureCode | 'post.invalid';

/**
 * Builds the post to store, validated for all targets; nothing is stored yet. `before` is the post that an
 * edit starts from, `earlier` are posts that will be stored with it.
 */
export async function preparePost(
  ports: PreparePorts,
  call: Call,
  requested: DraftPost,
  before: Post | null = null,
  earlier: readonly Post[] = [],
): Promise<Result<Post, PrepareFailure>> {
  const queued = await scheduleByQueue(ports, call, requested, earlier);
  if (!queued.ok) return queued;
  const command = queued.value.draft;
  const queueSlot = queued.value.slot ?? findKeptSlot(command, before);
  const chosen = await resolveMedia(ports, call, command);
  if (!chosen.ok) return chosen;
  const planned = await planPost(ports, call, command, chosen.value);
  if (command.draft) {
    // A draft may be created without any connection; the resources that it names must exist.
    if (!planned.ok && planned.failure.code !== 'post.no_targets') return planned;
    return prepareDraft(ports, call, command, chosen.value, before);
  }
  if (!planned.ok) return planned;
  const plan = planned.value;
  const problems = plan.targets.flatMap((target) => target.problems);
  if (problems.length > 0) {
    const messages = problems.map(({ message }) => message).slice(0, 3);
    return refuse('post.invalid', messages.join(' '), { problems, next: nextStep(plan) });
  }
  const whole = { ...buildPost(ports, call, command, chosen.value, before), queueSlot };
  const deliveries = composeDeliveries(ports, whole, plan.targets, before?.deliveries ?? []);
  const times = (name: 'scheduledAt' | 'notAfter') => deliveries.map((one) => one[name].getTime());
  return ok({
    ...whole,
    profileId: plan.profile.id,
    timezone: plan.timezone,
    scheduledAt: new Date(Math.min(...times('scheduledAt'))),
    notAfter: new Date(Math.max(...times('notAfter'))),
    deliveries,
    skipped: plan.skipped,
    holds: holdsOf(plan),
  });
}

const holdsOf = ({ targets }: PostPlan): Post['holds'] =>
  Object.fromEntries(targets.flatMap(({ connection, heldBy }) => (heldBy ? [[connection.id, heldBy]] : [])));

/**
 * For one unusable account the next call is to reconnect it; for invalid options it is to list the account's
 * options.
 */
function nextStep({ targets }: PostPlan): NextCall | undefined {
  const withProblem = (prefix: string) =>
    targets.filter(({ problems }) => problems.some(({ code }) => code.startsWith(prefix)));
  const [disconnected] = withProblem('connection.needs_reauth');
  if (disconnected) return nextCall.startConnect({ connection_id: disconnected.connection.id });
  const [withInvalidOptions] = withProblem('option.');
  return withInvalidOptions && nextCall.getPublishingOptions(withInvalidOptions.connection.id);
}

async function prepareDraft(
  ports: PreparePorts,
  call: Call,
  command: DraftPost,
  chosen: MediaLookup,
  before: Post | null,
): Promise<Result<Post, PrepareFailure>> {
  const profile = await findPostingProfile(ports, call, command);
  if (!profile.ok) return profile;
  const when = schedule(ports.clock.now(), command, profile.value);
  if (!when.ok) return when;
  const { at: scheduledAt, timezone, notAfter } = when.value;
  const whole = {
    ...buildPost(ports, call, command, chosen, before),
    profileId: profile.value.id,
    queueSlot: null,
  };
  return ok({ ...whole, timezone, scheduledAt, notAfter, deliveries: [], skipped: [], holds: {} });
}

/** An edit that keeps the time keeps the slot. */
function findKeptSlot({ scheduledAt }: DraftPost, before: Post | null): Date | null {
  const slot = before?.queueSlot;
  const isKept = slot && scheduledAt && parseInstant(scheduledAt)?.getTime() === slot.getTime();
  return isKept ? slot : null;
}

/** The fields of a post that do not depend on its plan. */
function buildPost(
  ports: PreparePorts,
  call: Call,
  command: DraftPost,
  chosen: MediaLookup,
  before: Post | null,
) {
  const now = ports.clock.now();
  const used = (media: DraftPost['media']) => chosen(media).map(toMediaUse);
  return {
    id: before?.id ?? ports.ids.next('pst'),
    workspaceId: call.workspaceId,
    text: command.text ?? '',
    link: command.link ?? null,
    media: used(command.media),
    thread: (command.thread ?? []).map(({ text = '', media }) => ({ text, media: used(media) })),
    firstComment: command.firstComment ?? null,
    draft: command.draft ?? false,
    requested: toPostRequest(command, used),
    externalId: command.externalId ?? null,
    metadata: command.metadata ?? {},
    approval: before?.approval ?? null,
    createdBy: before?.createdBy ?? actorName(call),
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    version: before?.version ?? 1,
  };
}

const toPostRequest = (
  { targets = 'all', scheduledAt, queue, timezone, notAfter }: DraftPost,
  used: (media: DraftPost['media']) => readonly MediaUse[],
): PostRequest => ({
  targets:
    targets === 'all'
      ? targets
      : targets.map(({ media, ...target }) => omitUndefined({ ...target, media: media && used(media) })),
  scheduledAt: scheduledAt ?? null,
  ...(queue === 'next' && { queue }),
  timezone: timezone ?? null,
  notAfter: notAfter?.toISOString() ?? null,
});

const omitUndefined = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
