import { ok, type Call, type Result } from '@switchboard/domain';
import { findProfile } from './find-profile.js';
import { findWorkspace } from './find-workspace.js';
import { anywhereCall, operatorCall } from './operator.js';
import type { Desk } from './with-service.js';

export interface Whose {
  readonly workspace?: string;
  readonly profile?: string;
}

interface Place {
  readonly call: Call;
  /** Null: where several workspaces are, or none yet, what the operator set up is told. */
  readonly workspace: string | null;
  readonly profileId: string | undefined;
}

/** For whose accounts it is to be told how platforms stand: a profile's, a workspace's, those of the only one there is. */
export async function whosePlatforms(desk: Desk, { workspace, profile }: Whose): Promise<Result<Place>> {
  const named = workspace !== undefined || profile !== undefined;
  if (!named && (await desk.service.ports.workspaces.list()).length !== 1) {
    return ok({ call: anywhereCall(desk), workspace: null, profileId: undefined });
  }
  const found = await findWorkspace(desk, workspace);
  if (!found.ok) return found;
  const { id, name } = found.value;
  const theirs = profile === undefined ? ok(undefined) : await findProfile(desk, id, profile);
  if (!theirs.ok) return theirs;
  return ok({ call: operatorCall(desk, id), workspace: name, profileId: theirs.value?.id });
}
