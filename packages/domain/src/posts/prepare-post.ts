import { actorName, type Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall, type NextCall } from '../next-call.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { chooseMedia, useOf, type Choice, type ChooseMediaFailureCode } from './choose-media.js';
import { composeDeliveries } from './compose-deliveries.js';
import type { DraftPost } from './draft-post.js';
import { findPostingProfile } from './find-targets.js';
import { planPost, type Plan, type PlanFailureCode, type PlanPorts } from './plan-post.js';
import type { Asked, MediaUse, Post } from './post.js';
import { schedule } from './schedule.js';

export type PreparePorts = PlanPorts & Pick<ReadPorts, 'media' | 'tokens' | 'ids'>;
export type PrepareFailure = PlanFailureCode | ChooseMediaFailureCode | 'post.invalid';

/** The post that is to be stored, checked for all targets; nothing is stored yet. `before` is what an edit begins with. */
export async function preparePost(
  ports: PreparePorts,
  call: Call,
  command: DraftPost,
  before: Post | null = null,
): Promise<Result<Post, PrepareFailure>> {
  const chosen = await chooseMedia(ports, call, command);
  if (!chosen.ok) return chosen;
  const planned = await planPost(ports, call, command, chosen.value);
  if (command.draft) {
    // A draft may be made before there is anything to post to; what it names is there, though.
    if (!planned.ok && planned.failure.code !== 'post.no_targets') return planned;
    return prepareDraft(ports, call, command, chosen.value, before);
  }
  if (!planned.ok) return planned;
  const plan = planned.value;
  const problems = plan.targets.flatMap((target) => target.problems);
  if (problems.length > 0) {
    const told = problems.map(({ message }) => message).slice(0, 3);
    return refuse('post.invalid', told.join(' '), { problems, next: wayOn(plan) });
  }
  const whole = frame(ports, call, command, chosen.value, before);
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
  });
}

/** One account that cannot be used is connected again; one that takes other options than these tells which. */
function wayOn({ targets }: Plan): NextCall | undefined {
  const having = (prefix: string) =>
    targets.filter(({ problems }) => problems.some(({ code }) => code.startsWith(prefix)));
  const [dead] = having('connection.needs_reauth');
  if (dead) return nextCall.startConnect({ connection_id: dead.connection.id });
  const [choosy] = having('option.');
  return choosy && nextCall.getPublishingOptions(choosy.connection.id);
}

async function prepareDraft(
  ports: PreparePorts,
  call: Call,
  command: DraftPost,
  chosen: Choice,
  before: Post | null,
): Promise<Result<Post, PrepareFailure>> {
  const profile = await findPostingProfile(ports, call, command);
  if (!profile.ok) return profile;
  const when = schedule(ports.clock.now(), command, profile.value.timezone);
  if (!when.ok) return when;
  const { at: scheduledAt, timezone, notAfter } = when.value;
  const whole = { ...frame(ports, call, command, chosen, before), profileId: profile.value.id };
  return ok({ ...whole, timezone, scheduledAt, notAfter, deliveries: [], skipped: [] });
}

/** All of a post that its plan has no say in. */
function frame(ports: PreparePorts, call: Call, command: DraftPost, chosen: Choice, before: Post | null) {
  const now = ports.clock.now();
  const used = (media: DraftPost['media']) => chosen(media).map(useOf);
  return {
    id: before?.id ?? ports.ids.next('pst'),
    workspaceId: call.workspaceId,
    text: command.text ?? '',
    link: command.link ?? null,
    media: used(command.media),
    thread: (command.thread ?? []).map(({ text = '', media }) => ({ text, media: used(media) })),
    firstComment: command.firstComment ?? null,
    draft: command.draft ?? false,
    asked: askedOf(command, used),
    externalId: command.externalId ?? null,
    metadata: command.metadata ?? {},
    createdBy: before?.createdBy ?? actorName(call),
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    version: before?.version ?? 1,
  };
}

const askedOf = (
  { targets = 'all', scheduledAt, notAfter }: DraftPost,
  used: (media: DraftPost['media']) => readonly MediaUse[],
): Asked => ({
  targets:
    targets === 'all'
      ? targets
      : targets.map(({ media, ...target }) => said({ ...target, media: media && used(media) })),
  scheduledAt: scheduledAt ?? null,
  notAfter: notAfter?.toISOString() ?? null,
});

/** Without the fields that were left out. */
const said = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
