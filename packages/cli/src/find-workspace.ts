import { ok, refuse, type Result, type Workspace } from '@switchboard/domain';
import { misused } from './outcome.js';
import type { Desk } from './with-service.js';

/** By id or name; left out, the only one there is. */
export async function findWorkspace(
  { service: { ports } }: Desk,
  wanted: string | undefined,
): Promise<Result<Workspace>> {
  const workspaces = await ports.workspaces.list();
  if (wanted !== undefined) {
    const found = workspaces.find(({ id, name }) => id === wanted || name === wanted);
    return found
      ? ok(found)
      : refuse('workspace.not_found', `There is no workspace ${JSON.stringify(wanted)}.`);
  }
  const [only, ...others] = workspaces;
  if (!only) {
    return refuse(
      'workspace.not_found',
      'There is no workspace yet. `switchboard workspaces create <name>` makes one.',
    );
  }
  return others.length === 0
    ? ok(only)
    : misused(
        `Name one of the workspaces with --workspace: ${workspaces.map(({ name }) => name).join(', ')}.`,
      );
}
