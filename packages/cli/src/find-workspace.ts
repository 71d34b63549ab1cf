import { ok, refuse, type Call, type Result } from '@switchboard/domain';
import type { Workspace } from '@switchboard/domain/workspaces';
import { usageError, type CommandResult } from './command-result.js';
import { operatorCall } from './operator.js';
import { withService, type CommandContext } from './with-service.js';

/** By id or name; without a reference, the only workspace. */
export async function findWorkspace(
  { service: { ports } }: CommandContext,
  workspaceRef: string | undefined,
): Promise<Result<Workspace>> {
  const workspaces = await ports.workspaces.list();
  if (workspaceRef !== undefined) {
    const found = workspaces.find(({ id, name }) => id === workspaceRef || name === workspaceRef);
    return found
      ? ok(found)
      : refuse('workspace.not_found', `Workspace ${JSON.stringify(workspaceRef)} not found.`);
  }
  const [only, ...others] = workspaces;
  if (!only) {
    return refuse(
      'workspace.not_found',
      'There is no workspace. Run `switchboard workspaces create <name>` to create one.',
    );
  }
  return others.length === 0
    ? ok(only)
    : usageError(
        `Name one of the workspaces with --workspace: ${workspaces.map(({ name }) => name).join(', ')}.`,
      );
}

/** Runs a command of one workspace in the operator's name. */
export const withWorkspace = (
  workspaceRef: string | undefined,
  run: (context: CommandContext, workspace: Workspace, call: Call) => Promise<CommandResult>,
): Promise<CommandResult> =>
  withService(async (context) => {
    const workspace = await findWorkspace(context, workspaceRef);
    return workspace.ok
      ? run(context, workspace.value, operatorCall(context, workspace.value.id))
      : workspace;
  });
