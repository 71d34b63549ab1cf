import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Workspace } from './workspace.js';

export async function getWorkspace(
  ports: Pick<ReadPorts, 'workspaces'>,
  { workspaceId }: Call,
): Promise<Result<Workspace, 'workspace.not_found'>> {
  const workspace = await ports.workspaces.find(workspaceId);
  return workspace ? ok(workspace) : notFound('workspace');
}
