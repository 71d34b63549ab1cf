import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';
import { presentWorkspace } from '../shapes.js';
import { table } from '../table.js';
import { withService } from '../with-service.js';

export const workspacesList = (workspaces: Command) =>
  workspaces
    .command('list')
    .description('list the workspaces, oldest first')
    .action(
      toAction(() =>
        withService(async ({ service: { ports } }) => {
          const all = await ports.workspaces.list();
          const rows = all.map(({ id, name, displayName, defaultTimezone }) => [
            id,
            name,
            displayName,
            defaultTimezone,
          ]);
          return commandOutput(
            { data: all.map(presentWorkspace) },
            table(['id', 'name', 'display name', 'time zone'], rows, 'No workspaces.'),
          );
        }),
      ),
    );
