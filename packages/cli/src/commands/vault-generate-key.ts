import { generateMasterKey } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { act } from '../act.js';
import { answer } from '../outcome.js';

export const vaultGenerateKey = (vault: Command) =>
  vault
    .command('generate-key')
    .description('print a new master key for SWITCHBOARD_MASTER_KEYS; it is stored nowhere')
    .action(
      act(async () => {
        const key = generateMasterKey().reveal();
        return answer({ master_key: key }, key);
      }),
    );
