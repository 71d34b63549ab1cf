import { revokeKey } from '@switchboard/domain';
import { presentKey } from '@switchboard/operations';
import type { Command } from 'commander';
import { act } from '../act.js';
import { findWorkspace } from '../find-workspace.js';
import { atomically, operatorCall } from '../operator.js';
import { answer } from '../outcome.js';
import { withService } from '../with-service.js';

export const keysRevoke = (keys: Command) =>
  keys
    .command('revoke')
    .description('end an API key now')
    .argument('<id>')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      act((text: string, { workspace: wanted }: { workspace?: string }) =>
        withService(async (desk) => {
          const workspace = await findWorkspace(desk, wanted);
          if (!workspace.ok) return workspace;
          const call = operatorCall(desk, workspace.value.id);
          const revoked = await atomically(
            desk,
            call,
            'revokeKey',
            (ports) => revokeKey(ports, call, { id: text }),
            ({ id }) => id,
          );
          if (!revoked.ok) return revoked;
          return answer(presentKey(revoked.value), `Revoked ${revoked.value.name} (${revoked.value.id}).`);
        }),
      ),
    );
