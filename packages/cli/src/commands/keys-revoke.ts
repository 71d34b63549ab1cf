import { revokeKey } from '@switchboard/domain/access';
import { presentKey } from '@switchboard/operations';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { findWorkspace } from '../find-workspace.js';
import { runAtomically, operatorCall } from '../operator.js';
import { commandOutput } from '../command-result.js';
import { withService } from '../with-service.js';

export const keysRevoke = (keys: Command) =>
  keys
    .command('revoke')
    .description('revoke an API key immediately')
    .argument('<id>')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      toAction((text: string, { workspace: workspaceRef }: { workspace?: string }) =>
        withService(async (context) => {
          const workspace = await findWorkspace(context, workspaceRef);
          if (!workspace.ok) return workspace;
          const call = operatorCall(context, workspace.value.id);
          const revoked = await runAtomically(
            context,
            call,
            'revokeKey',
            (ports) => revokeKey(ports, call, { id: text }),
            ({ id }) => id,
          );
          if (!revoked.ok) return revoked;
          return commandOutput(
            presentKey(revoked.value),
            `Revoked ${revoked.value.name} (${revoked.value.id}).`,
          );
        }),
      ),
    );
