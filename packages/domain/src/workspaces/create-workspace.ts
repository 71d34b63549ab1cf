import type { ProfileId, WorkspaceId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import type { Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import { refuse } from '../failure.js';
import type { Workspace } from './workspace.js';

export interface CreateWorkspace {
  readonly name: string;
  readonly defaultTimezone?: string | undefined;
}

export interface CreatedWorkspace {
  readonly workspace: Workspace;
  readonly profile: Profile;
}

/** A workspace with its data key and its profile named `default`. The operator's act: no key can do it. */
export async function createWorkspace(
  ports: Pick<Ports, 'transactions' | 'vault' | 'ids' | 'clock'>,
  command: CreateWorkspace,
): Promise<Result<CreatedWorkspace, 'vault.unavailable' | 'workspace.name_taken'>> {
  const id = ports.ids.next('wsp');
  const key = await ports.vault.mint(id);
  if (!key.ok) return key;
  const createdAt = ports.clock.now();
  const workspace: Workspace = {
    id,
    name: command.name,
    displayName: null,
    logoUrl: null,
    accentColor: null,
    supportEmail: null,
    privacyUrl: null,
    returnUrls: [],
    defaultTimezone: command.defaultTimezone ?? 'UTC',
    createdAt,
    version: 1,
  };
  const profile = defaultProfile(id, ports.ids.next('prf'), workspace);
  return ports.transactions.run(async (tx) => {
    if (await tx.workspaces.findByName(command.name)) {
      return refuse(
        'workspace.name_taken',
        `There is a workspace named ${JSON.stringify(command.name)} already.`,
      );
    }
    await tx.workspaces.insert(workspace);
    await tx.dataKeys.insert(key.value);
    await tx.profiles.insert(profile);
    await tx.audit.append({
      workspaceId: id,
      actor: 'system:operator',
      action: 'createWorkspace',
      object: id,
      outcome: 'ok',
      requestId: '',
      details: {},
    });
    return ok({ workspace, profile });
  });
}

const defaultProfile = (
  workspaceId: WorkspaceId,
  id: ProfileId,
  { createdAt, defaultTimezone }: Workspace,
): Profile => ({
  id,
  workspaceId,
  name: 'default',
  externalId: null,
  timezone: defaultTimezone,
  metadata: {},
  isDefault: true,
  paused: false,
  createdAt,
  version: 1,
});
