import type { Call } from '../call.js';
import type { Problem } from '../failure.js';
import { describePauseScope } from '../pauses/describe-pause-scope.js';
import type { PauseScope } from '../pauses/pause.js';
import type { ReadPorts } from '../ports/index.js';
import type { Profile } from '../profiles/profile.js';
import { ok, refuseWith, type Result } from '../result.js';
import { checkTargets, targetPath, type CheckedTarget } from './check-targets.js';
import type { DraftPost } from './draft-post.js';
import { findTargets, type TargetFailureCode } from './find-targets.js';
import type { MediaLookup } from './resolve-media.js';
import type { Post } from './post.js';
import { schedule, type Schedule, type ScheduleFailureCode } from './schedule.js';

/** A post as it would be published: its targets, their times, and all problems. Nothing is stored. */
export interface PostPlan {
  readonly profile: Profile;
  readonly skipped: Post['skipped'];
  readonly timezone: string;
  readonly targets: readonly PlannedTarget[];
}

export interface PlannedTarget extends CheckedTarget {
  readonly when: Schedule;
  /** The pause that will hold its delivery. */
  readonly heldBy: PauseScope | null;
}

export type PlanPorts = Pick<
  ReadPorts,
  'profiles' | 'connections' | 'manifests' | 'mediaLinks' | 'clock' | 'pauses'
>;
export type PlanFailureCode = TargetFailureCode | ScheduleFailureCode;

export async function planPost(
  ports: PlanPorts,
  call: Call,
  command: DraftPost,
  chosen: MediaLookup,
): Promise<Result<PostPlan, PlanFailureCode>> {
  const found = await findTargets(ports, call, command);
  if (!found.ok) return found;
  const { profile, skipped, targets } = found.value;
  const now = ports.clock.now();
  const whole = schedule(now, command, profile);
  if (!whole.ok) return whole;
  const schedules: Schedule[] = [];
  for (const [index, { target }] of targets.entries()) {
    const when =
      target.scheduledAt === undefined
        ? whole
        : scheduleTarget(now, command, profile, target.scheduledAt, index);
    if (!when.ok) return when;
    schedules.push(when.value);
  }
  const checked = checkTargets(
    ports,
    command,
    found.value,
    chosen,
    schedules.map(({ at }) => at > now),
  );
  const holds = await ports.pauses.listHolds(targets.map(({ connection }) => connection.id));
  return ok({
    profile,
    skipped,
    timezone: whole.value.timezone,
    targets: checked.flatMap((target, index) => {
      const when = schedules[index];
      const heldBy = holds.get(target.connection.id) ?? null;
      const warning = heldBy ? [pauseWarning(heldBy, targetPath(command, index))] : [];
      return when ? [{ ...target, when, heldBy, warnings: [...target.warnings, ...warning] }] : [];
    }),
  });
}

const pauseWarning = (heldBy: PauseScope, path: string): Problem => ({
  path,
  code: 'publishing.paused',
  message: `Publishing is paused for ${describePauseScope(heldBy)}: the post is held, and published when that is resumed unless not_after has passed.`,
});

/** A target's own time. Problems are reported for the target. */
function scheduleTarget(
  now: Date,
  command: DraftPost,
  profile: Profile,
  scheduledAt: string,
  index: number,
): Result<Schedule, ScheduleFailureCode> {
  const when = schedule(now, { ...command, scheduledAt }, profile);
  if (when.ok) return when;
  const { code, message } = when.failure;
  const problems = [{ path: `targets.${index}.scheduled_at`, code, message }];
  return refuseWith({ ...when.failure, message: `targets.${index}: ${message}`, problems });
}
