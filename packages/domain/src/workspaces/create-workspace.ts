import type { ProfileId, WorkspaceId } from '../ids.js';
import type { Ports, Tx, WrappedDataKey } from '../ports/index.js';
import { chooseTimezone, type Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import { refuse } from '../failure.js';
import type { Workspace } from './workspace.js';

interface CreateWorkspace {
  readonly name: string;
  readonly defaultTimezone?: string | undefined;
}

interface CreatedWorkspace {
  readonly workspace: Workspace;
  readonly profile: Profile;
}

type CreateWorkspaceFailure = 'vault.unavailable' | 'workspace.name_taken';

/** Rotations are rare: a second one in a row indicates a problem with the database. */
const ATTEMPTS_MAX = 3;

/**
 * Creates a workspace with its data key and its profile named `default`. Only the operator can do this, no
 * key.
 */
export async function createWorkspace(
  ports: Pick<Ports, 'transactions' | 'vault' | 'ids' | 'clock'>,
  command: CreateWorkspace,
): Promise<Result<CreatedWorkspace, CreateWorkspaceFailure>> {
  const id = ports.ids.next('wsp');
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
    notifyEmails: [],
    notifyEmailsSetBy: null,
    createdAt,
    version: 1,
  };
  const profile = defaultProfile(id, ports.ids.next('prf'), workspace);
  for (let attempt = 1; ; attempt++) {
    const key = await ports.vault.generateDataKey(id);
    if (!key.ok) return key;
    const created = await ports.transactions.run((tx) => insert(tx, { workspace, profile }, key.value));
    const rotated = !created.ok && created.failure.code === 'vault.unavailable';
    if (!rotated || attempt === ATTEMPTS_MAX) return created;
  }
}

async function insert(
  tx: Pick<Tx, 'workspaces' | 'dataKeys' | 'profiles' | 'audit'>,
  created: CreatedWorkspace,
  key: WrappedDataKey,
): Promise<Result<CreatedWorkspace, CreateWorkspaceFailure>> {
  const { workspace, profile } = created;
  if (await tx.workspaces.findByName(workspace.name)) {
    return refuse(
      'workspace.name_taken',
      `A workspace named ${JSON.stringify(workspace.name)} already exists.`,
    );
  }
  await tx.workspaces.insert(workspace);
  if (!(await tx.dataKeys.insert(key))) {
    return refuse('vault.unavailable', 'The master keys are being rotated. Try again.');
  }
  await tx.profiles.insert(profile);
  await tx.audit.append({
    workspaceId: workspace.id,
    actor: 'system:operator',
    action: 'createWorkspace',
    object: workspace.id,
    outcome: 'ok',
    requestId: '',
    details: {},
  });
  return ok(created);
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
  ...chooseTimezone(undefined, defaultTimezone),
  metadata: {},
  isDefault: true,
  pause: null,
  createdAt,
  version: 1,
});
