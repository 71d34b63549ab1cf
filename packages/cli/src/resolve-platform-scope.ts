import { ok, type Call, type Result } from '@switchboard/domain';
import { findProfile } from './find-profile.js';
import { findWorkspace } from './find-workspace.js';
import { installationCall, operatorCall } from './operator.js';
import type { CommandContext } from './with-service.js';

export interface PlatformOwnerOptions {
  readonly workspace?: string;
  readonly profile?: string;
}

interface PlatformScope {
  readonly call: Call;
  /** Null when there are several workspaces, or none: the configuration of the operator is reported. */
  readonly workspace: string | null;
  readonly profileId: string | undefined;
}

/**
 * The accounts for which the state of platforms is reported: those of a profile, of a workspace, or of the
 * only workspace.
 */
export async function resolvePlatformScope(
  context: CommandContext,
  { workspace, profile }: PlatformOwnerOptions,
): Promise<Result<PlatformScope>> {
  const isNamed = workspace !== undefined || profile !== undefined;
  if (!isNamed && (await context.service.ports.workspaces.list()).length !== 1) {
    return ok({ call: installationCall(context), workspace: null, profileId: undefined });
  }
  const found = await findWorkspace(context, workspace);
  if (!found.ok) return found;
  const { id, name } = found.value;
  const ownedProfile = profile === undefined ? ok(undefined) : await findProfile(context, id, profile);
  if (!ownedProfile.ok) return ownedProfile;
  return ok({ call: operatorCall(context, id), workspace: name, profileId: ownedProfile.value?.id });
}
