import type { Call } from '../call.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { checkAccounts, type AccountPorts } from './check-accounts.js';
import type { QuotaTarget } from './check-quotas.js';
import { resolveMedia, type ResolveMediaFailureCode } from './resolve-media.js';
import type { DraftPost } from './draft-post.js';
import { planPost, type PlanFailureCode, type PlanPorts } from './plan-post.js';

export type ValidatePost = DraftPost;

export interface PostValidation {
  readonly valid: boolean;
  readonly targets: readonly QuotaTarget[];
}

/**
 * The result of creating this post, without storing or sending anything, plus the account-specific checks:
 * choices and quotas.
 */
export async function validatePost(
  ports: PlanPorts & AccountPorts & Pick<ReadPorts, 'media' | 'ids'>,
  call: Call,
  command: ValidatePost,
): Promise<Result<PostValidation, PlanFailureCode | ResolveMediaFailureCode>> {
  const chosen = await resolveMedia(ports, call, command);
  if (!chosen.ok) return chosen;
  const planned = await planPost(ports, call, command, chosen.value);
  if (!planned.ok) return planned;
  const targets = await checkAccounts(ports, call, command, planned.value.targets);
  return ok({ valid: targets.every(({ problems }) => problems.length === 0), targets });
}
