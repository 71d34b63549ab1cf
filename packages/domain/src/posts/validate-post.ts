import type { Call } from '../call.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { DraftPost } from './draft-post.js';
import type { TargetFailureCode } from './find-targets.js';
import { planPost, type PlannedTarget } from './plan-post.js';
import type { ScheduleFailureCode } from './schedule.js';

export type ValidatePost = DraftPost;

export interface Validation {
  readonly valid: boolean;
  readonly targets: readonly PlannedTarget[];
}

/** What creating this post would say, without storing or sending anything. */
export async function validatePost(
  ports: Pick<ReadPorts, 'profiles' | 'connections' | 'manifests' | 'clock'>,
  call: Call,
  command: ValidatePost,
): Promise<Result<Validation, TargetFailureCode | ScheduleFailureCode>> {
  const planned = await planPost(ports, call, command);
  if (!planned.ok) return planned;
  const { targets } = planned.value;
  return ok({ valid: targets.every(({ problems }) => problems.length === 0), targets });
}
