import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { listAllProfiles } from '../find-profile.js';
import { findWorkspace } from '../find-workspace.js';
import { presentResult } from '../present-result.js';
import { operatorCall } from '../operator.js';
import { commandOutput } from '../command-result.js';
import { table } from '../table.js';
import { withService } from '../with-service.js';

export const profilesList = (profiles: Command) =>
  profiles
    .command('list')
    .description('list the profiles of a workspace, newest first')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      toAction(({ workspace: workspaceRef }: { workspace?: string }) =>
        withService(async (context) => {
          const workspace = await findWorkspace(context, workspaceRef);
          if (!workspace.ok) return workspace;
          const call = operatorCall(context, workspace.value.id);
          const all = await listAllProfiles(context, workspace.value.id);
          return commandOutput(
            { data: all.map((profile) => presentResult(context, call, 'getProfile', profile).json) },
            table(
              ['id', 'name', 'time zone', 'external id'],
              all.map(({ id, name, timezone, externalId }) => [id, name, timezone, externalId]),
              'No profiles.',
            ),
          );
        }),
      ),
    );
