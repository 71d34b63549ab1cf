import type { Call } from '../call.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { checkTargets, type CheckedTarget } from './check-targets.js';
import type { DraftPost } from './draft-post.js';
import { findTargets, type TargetFailureCode } from './find-targets.js';
import { schedule, type ScheduleFailureCode } from './schedule.js';

export type ValidatePost = DraftPost;

export interface Validation {
  readonly valid: boolean;
  readonly targets: readonly CheckedTarget[];
  readonly publishAt: Date;
}

/** What creating this post would say, without storing or sending anything. */
export async function validatePost(
  ports: Pick<ReadPorts, 'profiles' | 'connections' | 'manifests' | 'clock'>,
  call: Call,
  command: ValidatePost,
): Promise<Result<Validation, TargetFailureCode | ScheduleFailureCode>> {
  const found = await findTargets(ports, call, command);
  if (!found.ok) return found;
  const now = ports.clock.now();
  const when = schedule(now, command, found.value.profile.timezone);
  if (!when.ok) return when;
  const targets = checkTargets(ports, command, found.value, when.value.at > now);
  return ok({
    valid: targets.every(({ problems }) => problems.length === 0),
    targets,
    publishAt: when.value.at,
  });
}
