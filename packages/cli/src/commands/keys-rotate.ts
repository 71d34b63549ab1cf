import { rotateKey } from '@switchboard/domain';
import { presentNewKey } from '@switchboard/operations';
import type { Command } from 'commander';
import { act } from '../act.js';
import { findWorkspace } from '../find-workspace.js';
import { readOverlap } from '../options.js';
import { atomically, operatorCall } from '../operator.js';
import { answer } from '../outcome.js';
import { tell } from '../tell.js';
import { withService } from '../with-service.js';

interface Options {
  readonly overlapSeconds: number;
  readonly workspace?: string;
}

export const keysRotate = (keys: Command) =>
  keys
    .command('rotate')
    .description('put a new API key in the place of an old one; it is shown once')
    .argument('<id>')
    .option(
      '--overlap-seconds <seconds>',
      'how long the old one still works; 0 ends it now',
      readOverlap,
      3600,
    )
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(act(rotate));

async function rotate(id: string, { overlapSeconds, workspace: wanted }: Options) {
  return withService(async (desk) => {
    const workspace = await findWorkspace(desk, wanted);
    if (!workspace.ok) return workspace;
    const call = operatorCall(desk, workspace.value.id);
    const rotated = await atomically(
      desk,
      call,
      'rotateKey',
      (ports) => rotateKey(ports, call, { id, overlapSeconds }),
      ({ key }) => key.id,
    );
    if (!rotated.ok) return rotated;
    const { key, token } = rotated.value;
    const ends = overlapSeconds === 0 ? 'has ended' : `works for another ${overlapSeconds} seconds at most`;
    tell(`${key.id} takes the place of ${id}, which ${ends}. The new key is shown this once:`);
    return answer(presentNewKey(rotated.value), token.reveal());
  });
}
