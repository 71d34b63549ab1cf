import { createWorkspace } from '@switchboard/domain/workspaces';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { readName, readTimezone } from '../options.js';
import { commandOutput } from '../command-result.js';
import { presentWorkspace } from '../shapes.js';
import { withService } from '../with-service.js';

export const workspacesCreate = (workspaces: Command) =>
  workspaces
    .command('create')
    .description('create a workspace with a profile named default')
    .argument('<name>', 'unique in this installation', readName)
    .option('--timezone <zone>', 'IANA time zone of its profiles', readTimezone, 'UTC')
    .action(
      toAction((name: string, { timezone }: { timezone: string }) =>
        withService(async ({ service: { ports } }) => {
          const created = await createWorkspace(ports, { name, defaultTimezone: timezone });
          if (!created.ok) return created;
          const { workspace, profile } = created.value;
          return commandOutput(
            { ...presentWorkspace(workspace), profile_id: profile.id },
            `Created ${workspace.name} (${workspace.id}) with the profile ${profile.name} (${profile.id}).`,
          );
        }),
      ),
    );
