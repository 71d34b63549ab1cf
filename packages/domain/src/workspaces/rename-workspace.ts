import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Workspace } from './workspace.js';

export interface RenameWorkspace {
  readonly name: string;
}

/**
 * Changes what the operator calls a workspace, unique in this installation. The operator's act: whoever may try names out
 * learns which other workspaces there are.
 */
export async function renameWorkspace(
  ports: Pick<AtomicPorts, 'workspaces'>,
  { workspaceId }: Call,
  { name }: RenameWorkspace,
): Promise<Result<Workspace, 'workspace.not_found' | 'workspace.name_taken'>> {
  const existing = await ports.workspaces.findByName(name);
  if (existing && existing.id !== workspaceId) {
    return refuse('workspace.name_taken', `There is a workspace named ${JSON.stringify(name)} already.`);
  }
  const workspace = await ports.workspaces.update(workspaceId, { name });
  return workspace ? ok(workspace) : notFound('workspace');
}
