import { createInterface } from 'node:readline/promises';
import { deleteWorkspace } from '@switchboard/domain';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { findWorkspace } from '../find-workspace.js';
import { commandOutput, usageError } from '../command-result.js';
import { withService } from '../with-service.js';

/** For all platforms together to take the grants back; what is left after it is told. */
const REVOCATION_TIMEOUT_MS = 60_000;

export const workspacesDelete = (workspaces: Command) =>
  workspaces
    .command('delete')
    .description('destroy a workspace with everything in it; nothing brings it back but a backup')
    .argument('<workspace>', 'id or name')
    .option('--yes', 'do not ask for its name first')
    .action(
      toAction((workspaceRef: string, { yes = false }: { yes?: boolean }) =>
        withService(async (context) => {
          const found = await findWorkspace(context, workspaceRef);
          if (!found.ok) return found;
          const { id, name } = found.value;
          if (!yes && !process.stdin.isTTY) return usageError('Nobody is there to be asked: add --yes.');
          if (!yes && (await promptName(name, context.signal)) !== name)
            return usageError('That is not its name. Nothing was deleted.');
          const limit = AbortSignal.any([context.signal, AbortSignal.timeout(REVOCATION_TIMEOUT_MS)]);
          const deleted = await deleteWorkspace(context.service.ports, id, limit);
          if (!deleted.ok) return deleted;
          const { revoked, notRevoked } = deleted.value;
          return commandOutput(
            { id, name, deleted: true, revoked, not_revoked: notRevoked },
            [
              `Deleted ${name} (${id}). ${revoked.length} account(s) were given back to their platforms.`,
              ...(notRevoked.length > 0
                ? [`Could not be given back, take them back at the platforms: ${notRevoked.join(', ')}.`]
                : []),
            ].join('\n'),
          );
        }),
      ),
    );

async function promptName(name: string, signal: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(
      `This destroys ${JSON.stringify(name)}, its keys, connections, posts and media, for ever. Type its name: `,
      { signal },
    );
  } catch {
    return '';
  } finally {
    terminal.close();
  }
}
