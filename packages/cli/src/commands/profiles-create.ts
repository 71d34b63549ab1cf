import { createProfile } from '@switchboard/domain';
import type { Command } from 'commander';
import { act } from '../act.js';
import { findWorkspace } from '../find-workspace.js';
import { refusedInput, shown } from '../operation.js';
import { atomically, operatorCall } from '../operator.js';
import { readName, readTimezone } from '../options.js';
import { answer } from '../outcome.js';
import { withService } from '../with-service.js';

interface Options {
  readonly workspace?: string;
  readonly timezone?: string;
  readonly externalId?: string;
}

export const profilesCreate = (profiles: Command) =>
  profiles
    .command('create')
    .description('make a profile: a brand or an end customer')
    .argument('<name>', 'what it is called', readName)
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--timezone <zone>', 'IANA time zone; default: the workspace’s', readTimezone)
    .option('--external-id <id>', 'what you call it')
    .action(
      act(async (name: string, { workspace: wanted, timezone, externalId }: Options) => {
        const wrong = refusedInput('createProfile', { name, timezone, external_id: externalId });
        if (wrong) return wrong;
        return withService(async (desk) => {
          const workspace = await findWorkspace(desk, wanted);
          if (!workspace.ok) return workspace;
          const call = operatorCall(desk, workspace.value.id);
          const created = await atomically(
            desk,
            call,
            'createProfile',
            (ports) => createProfile(ports, call, { name, timezone, externalId }),
            ({ id }) => id,
          );
          if (!created.ok) return created;
          const { json } = shown(desk, call, 'createProfile', created.value);
          return answer(json, `Created ${created.value.name} (${created.value.id}).`);
        });
      }),
    );
