import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Workspace } from './workspace.js';

interface RenameWorkspace {
  readonly name: string;
}

/**
 * Changes the operator's name of a workspace, unique in this installation. Only the operator can do this:
 * trying names would reveal which other workspaces exist.
 */
export async function renameWorkspace(
  ports: Pick<AtomicPorts, 'workspaces'>,
  { workspaceId }: Call,
  { name }: RenameWorkspace,
): Promise<Result<Workspace, 'workspace.not_found' | 'workspace.name_taken'>> {
  const existing = await ports.workspaces.findByName(name);
  if (existing && existing.id !== workspaceId) {
    return refuse('workspace.name_taken', `A workspace named ${JSON.stringify(name)} already exists.`);
  }
  const workspace = await ports.workspaces.update(workspaceId, { name });
  return workspace ? ok(workspace) : notFound('workspace');
}
