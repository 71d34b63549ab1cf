import { rotateKey } from '@switchboard/domain/access';
import { presentNewKey } from '@switchboard/operations';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { findWorkspace } from '../find-workspace.js';
import { readOverlap } from '../options.js';
import { runAtomically, operatorCall } from '../operator.js';
import { commandOutput } from '../command-result.js';
import { printNotice } from '../print-notice.js';
import { withService } from '../with-service.js';

interface Options {
  readonly overlapSeconds: number;
  readonly workspace?: string;
}

export const keysRotate = (keys: Command) =>
  keys
    .command('rotate')
    .description('rotate an API key; the new secret is shown once')
    .argument('<id>')
    .option(
      '--overlap-seconds <seconds>',
      'how long the old key stays valid; 0 revokes it now',
      readOverlap,
      3600,
    )
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(toAction(rotate));

async function rotate(id: string, { overlapSeconds, workspace: workspaceRef }: Options) {
  return withService(async (context) => {
    const workspace = await findWorkspace(context, workspaceRef);
    if (!workspace.ok) return workspace;
    const call = operatorCall(context, workspace.value.id);
    const rotated = await runAtomically(
      context,
      call,
      'rotateKey',
      (ports) => rotateKey(ports, call, { id, overlapSeconds }),
      ({ key }) => key.id,
    );
    if (!rotated.ok) return rotated;
    const { key, token } = rotated.value;
    const ends = overlapSeconds === 0 ? 'is revoked' : `stays valid for at most ${overlapSeconds} seconds`;
    printNotice(`${key.id} replaces ${id}, which ${ends}. The new key is shown only once:`);
    return commandOutput(presentNewKey(rotated.value), token.reveal());
  });
}
