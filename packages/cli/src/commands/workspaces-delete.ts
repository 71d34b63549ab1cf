import { createInterface } from 'node:readline/promises';
import { deleteWorkspace } from '@switchboard/domain/workspaces';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { findWorkspace } from '../find-workspace.js';
import { commandOutput, usageError } from '../command-result.js';
import { withService } from '../with-service.js';

/** The time in which all platforms together revoke the grants; the rest is reported. */
const REVOCATION_TIMEOUT_MS = 60_000;

export const workspacesDelete = (workspaces: Command) =>
  workspaces
    .command('delete')
    .description('permanently delete a workspace with all its data; only a backup can restore it')
    .argument('<workspace>', 'id or name')
    .option('--yes', 'skip the confirmation prompt')
    .action(
      toAction((workspaceRef: string, { yes = false }: { yes?: boolean }) =>
        withService(async (context) => {
          const found = await findWorkspace(context, workspaceRef);
          if (!found.ok) return found;
          const { id, name } = found.value;
          if (!yes && !process.stdin.isTTY)
            return usageError('No terminal for the confirmation prompt: add --yes.');
          if (!yes && (await promptName(name, context.signal)) !== name)
            return usageError('The name does not match. Nothing was deleted.');
          const limit = AbortSignal.any([context.signal, AbortSignal.timeout(REVOCATION_TIMEOUT_MS)]);
          const deleted = await deleteWorkspace(context.service.ports, id, limit);
          if (!deleted.ok) return deleted;
          const { revoked, notRevoked } = deleted.value;
          return commandOutput(
            { id, name, deleted: true, revoked, not_revoked: notRevoked },
            [
              `Deleted ${name} (${id}). Revoked the grants of ${revoked.length} account(s).`,
              ...(notRevoked.length > 0
                ? [`Could not be revoked; revoke them at the platforms: ${notRevoked.join(', ')}.`]
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
      `This permanently deletes ${JSON.stringify(name)} with its keys, connections, posts and media. Type its name to confirm: `,
      { signal },
    );
  } catch {
    return '';
  } finally {
    terminal.close();
  }
}
