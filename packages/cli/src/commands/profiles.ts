import { createProfile } from '@switchboard/domain/profiles';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { withWorkspace } from '../find-workspace.js';
import { findInputProblem, presentResult } from '../present-result.js';
import { runAtomically } from '../operator.js';
import { readName, readTimezone } from '../options.js';
import { commandOutput } from '../command-result.js';
import { listAllProfiles } from '../find-profile.js';
import { table } from '../table.js';

interface CreateOptions {
  readonly workspace?: string;
  readonly timezone?: string;
  readonly externalId?: string;
}

export const profilesCreate = (profiles: Command) =>
  profiles
    .command('create')
    .description('create a profile (a brand or an end customer)')
    .argument('<name>', 'name of the profile', readName)
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--timezone <zone>', 'IANA time zone; default: the workspace’s', readTimezone)
    .option('--external-id <id>', 'your own id for it')
    .action(
      toAction(async (name: string, { workspace: workspaceRef, timezone, externalId }: CreateOptions) => {
        const inputProblem = findInputProblem('createProfile', { name, timezone, external_id: externalId });
        if (inputProblem) return inputProblem;
        return withWorkspace(workspaceRef, async (context, workspace, call) => {
          const created = await runAtomically(context, call, 'createProfile', (ports) =>
            createProfile(ports, call, { name, timezone, externalId }),
          );
          if (!created.ok) return created;
          const { json } = presentResult(context, call, 'createProfile', created.value);
          return commandOutput(json, `Created ${created.value.name} (${created.value.id}).`);
        });
      }),
    );

export const profilesList = (profiles: Command) =>
  profiles
    .command('list')
    .description('list the profiles of a workspace, newest first')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      toAction(({ workspace: workspaceRef }: { workspace?: string }) =>
        withWorkspace(workspaceRef, async (context, workspace, call) => {
          const all = await listAllProfiles(context, workspace.id);
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
