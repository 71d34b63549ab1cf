import type { Command } from 'commander';
import { act } from '../act.js';
import { listAllProfiles } from '../find-profile.js';
import { findWorkspace } from '../find-workspace.js';
import { shown } from '../operation.js';
import { operatorCall } from '../operator.js';
import { answer } from '../outcome.js';
import { table } from '../table.js';
import { withService } from '../with-service.js';

export const profilesList = (profiles: Command) =>
  profiles
    .command('list')
    .description('list the profiles of a workspace, newest first')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      act(({ workspace: wanted }: { workspace?: string }) =>
        withService(async (desk) => {
          const workspace = await findWorkspace(desk, wanted);
          if (!workspace.ok) return workspace;
          const call = operatorCall(desk, workspace.value.id);
          const all = await listAllProfiles(desk, workspace.value.id);
          return answer(
            { data: all.map((profile) => shown(desk, call, 'getProfile', profile).json) },
            table(
              ['id', 'name', 'time zone', 'external id'],
              all.map(({ id, name, timezone, externalId }) => [id, name, timezone, externalId]),
              'There is no profile.',
            ),
          );
        }),
      ),
    );
