import { updateWorkspace } from '@switchboard/domain';
import type { Command } from 'commander';
import { act } from '../act.js';
import { collect, readName } from '../options.js';
import { answer, misused } from '../outcome.js';
import { presentWorkspace } from '../shapes.js';
import { withService } from '../with-service.js';

interface Options {
  readonly name?: string;
  readonly displayName?: string;
  readonly returnUrl?: readonly string[];
}

export const workspacesUpdate = (workspaces: Command) =>
  workspaces
    .command('update')
    .description('change what a workspace is called and where its connect links may lead back to')
    .argument('<id>')
    .option('--name <name>', 'unique in this installation', readName)
    .option('--display-name <name>', 'what the hosted pages call it; "" for its name')
    .option('--return-url <url>', 'may be repeated; replaces the list; none for an empty one', collect)
    .action(
      act(async (id: string, { name, displayName, returnUrl }: Options) => {
        if (name === undefined && displayName === undefined && returnUrl === undefined) {
          return misused('Say what to change: --name, --display-name or --return-url.');
        }
        return withService(async ({ service: { ports } }) => {
          const updated = await updateWorkspace(ports, {
            id,
            name,
            displayName: displayName === undefined ? undefined : displayName.trim() || null,
            returnUrls: returnUrl?.join() === 'none' ? [] : returnUrl,
          });
          if (!updated.ok) return updated;
          return answer(presentWorkspace(updated.value), `Changed ${updated.value.name} (${id}).`);
        });
      }),
    );
