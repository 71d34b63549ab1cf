import { generateMasterKey } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';

export const vaultGenerateKey = (vault: Command) =>
  vault
    .command('generate-key')
    .description('print a new master key for SWITCHBOARD_MASTER_KEYS; it is not stored')
    .action(
      toAction(async () => {
        const key = generateMasterKey().reveal();
        return commandOutput({ master_key: key }, key);
      }),
    );
