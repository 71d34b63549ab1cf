import { keyOf, reachOf, type Call } from '../call.js';
import { notFound } from '../failure.js';
import type { Pause } from '../pauses/pause.js';
import type { ReadPorts } from '../ports/index.js';
import type { Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { ApiKey } from './api-key.js';
import { getRemainingCeilings, type CeilingRemaining } from './refund-ceiling.js';

interface Whoami {
  readonly key: ApiKey;
  readonly workspace: Workspace;
  readonly profiles: readonly Profile[];
  readonly ceilingRemaining: readonly CeilingRemaining[] | null;
  /** Of the whole installation. */
  readonly pause: Pause | null;
}

/** The calling key, its permissions and reach, and the amount it may still refund today. */
export async function whoami(
  ports: Pick<ReadPorts, 'workspaces' | 'profiles' | 'apiKeys' | 'refunds' | 'pauses' | 'clock'>,
  call: Call,
): Promise<Result<Whoami, 'workspace.not_found'>> {
  const key = keyOf(call);
  const [workspace, profiles, ceilingRemaining, { pause }] = await Promise.all([
    ports.workspaces.find(call.workspaceId),
    ports.profiles.list(call.workspaceId, { reach: reachOf(call) }, { limit: 100 }),
    getRemainingCeilings(ports, call.workspaceId, key),
    ports.pauses.findInstallation(),
  ]);
  if (!workspace) return notFound('workspace');
  return ok({ key, workspace, profiles: profiles.items, ceilingRemaining, pause });
}
