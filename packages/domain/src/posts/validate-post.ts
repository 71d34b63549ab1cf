import type { Call } from '../call.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { warnDuplicates } from './guard-duplicates.js';
import { targetPath } from './check-targets.js';
import { checkAccounts, type AccountPorts } from './check-accounts.js';
import type { QuotaTarget } from './check-quotas.js';
import { resolveMedia, type ResolveMediaFailureCode } from './resolve-media.js';
import type { DraftPost } from './draft-post.js';
import { withMediaProbes } from './with-media-probes.js';
import { scheduleByQueue, type QueueFailureCode, type SlotPort } from './schedule-by-queue.js';
import { planPost, type PlanFailureCode, type PlanPorts } from './plan-post.js';

type ValidatePost = DraftPost;

interface PostValidation {
  readonly valid: boolean;
  readonly targets: readonly QuotaTarget[];
}

/**
 * The result of creating this post, without storing or sending anything, plus the account-specific checks:
 * choices and quotas.
 */
export async function validatePost(
  ports: PlanPorts &
    AccountPorts &
    Pick<Ports, 'postingQueues' | 'media' | 'ids' | 'posts' | 'tokens' | 'downloads' | 'mediaTools'>,
  call: Call,
  requested: ValidatePost,
): Promise<Result<PostValidation, PlanFailureCode | QueueFailureCode | ResolveMediaFailureCode>> {
  const postingQueues: SlotPort = {
    ...ports.postingQueues,
    // The first free slot, which stays free.
    claim: (_workspaceId, _profileId, [first]) => Promise.resolve(first ?? null),
  };
  const queued = await scheduleByQueue({ ...ports, postingQueues }, call, requested);
  if (!queued.ok) return queued;
  const command = queued.value.draft;
  const probed = await withMediaProbes(ports, call, [command]);
  const chosen = await resolveMedia(ports, probed, command);
  if (!chosen.ok) return chosen;
  const planned = await planPost(ports, call, command, chosen.value);
  if (!planned.ok) return planned;
  const checked = await checkAccounts(ports, call, command, planned.value.targets);
  const targets =
    command.allowDuplicate || command.draft
      ? checked
      : await warnDuplicates(ports, call, checked, (index) => targetPath(command, index));
  return ok({ valid: targets.every(({ problems }) => problems.length === 0), targets });
}
