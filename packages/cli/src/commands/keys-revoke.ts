import { notFound, parseId, revokeKey } from '@switchboard/domain';
import type { Command } from 'commander';
import { act } from '../act.js';
import { findWorkspace } from '../find-workspace.js';
import { answer } from '../outcome.js';
import { presentKey } from '../shapes.js';
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
          const id = parseId('key', text);
          if (!id) return notFound('key');
          const revoked = await revokeKey(desk.service.ports, workspace.value.id, id);
          if (!revoked.ok) return revoked;
          return answer(presentKey(revoked.value), `Revoked ${revoked.value.name} (${id}).`);
        }),
      ),
    );
