import { createProfile } from '@switchboard/domain/profiles';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { findWorkspace } from '../find-workspace.js';
import { findInputProblem, presentResult } from '../present-result.js';
import { runAtomically, operatorCall } from '../operator.js';
import { readName, readTimezone } from '../options.js';
import { commandOutput } from '../command-result.js';
import { withService } from '../with-service.js';

interface Options {
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
      toAction(async (name: string, { workspace: workspaceRef, timezone, externalId }: Options) => {
        const inputProblem = findInputProblem('createProfile', { name, timezone, external_id: externalId });
        if (inputProblem) return inputProblem;
        return withService(async (context) => {
          const workspace = await findWorkspace(context, workspaceRef);
          if (!workspace.ok) return workspace;
          const call = operatorCall(context, workspace.value.id);
          const created = await runAtomically(
            context,
            call,
            'createProfile',
            (ports) => createProfile(ports, call, { name, timezone, externalId }),
            ({ id }) => id,
          );
          if (!created.ok) return created;
          const { json } = presentResult(context, call, 'createProfile', created.value);
          return commandOutput(json, `Created ${created.value.name} (${created.value.id}).`);
        });
      }),
    );
