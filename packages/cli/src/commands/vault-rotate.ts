import type { RotationReport } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';
import { progress } from '../progress.js';
import { withService } from '../with-service.js';

export const vaultRotate = (vault: Command) =>
  vault
    .command('rotate')
    .description(
      'rewrap every data key with the newest master key, so that older ones can be removed; safe to repeat',
    )
    .action(
      toAction(() =>
        withService(async ({ service: { keyring }, signal }) => {
          const progressBar = progress('Data keys wrapped with the newest master key:');
          const rotated = await keyring
            .rotate({ signal, onProgress: ({ done, total }) => progressBar.show(done, total) })
            .finally(() => progressBar.end());
          if (!rotated.ok) return rotated;
          return commandOutput(
            presentRotated(rotated.value),
            rotatedText(rotated.value),
            !isGood(rotated.value),
          );
        }),
      ),
    );

const isGood = ({ stillNeeded, secretsUnreadable, canary }: RotationReport) =>
  stillNeeded.length === 0 && secretsUnreadable === 0 && canary === 'ok';

const presentRotated = (rotated: RotationReport) => ({
  master_key: rotated.masterKeyId,
  rewrapped: rotated.rewrapped,
  unreadable: rotated.unreadable.map((workspaceId) => workspaceId ?? 'installation'),
  canary: rotated.canary,
  secrets_read: rotated.secretsRead,
  secrets_unreadable: rotated.secretsUnreadable,
  removable: rotated.removable,
  still_needed: rotated.stillNeeded,
});

function rotatedText(rotated: RotationReport): string {
  const { masterKeyId, rewrapped, unreadable, secretsRead, secretsUnreadable } = rotated;
  return [
    `Rewrapped ${rewrapped} data key(s); the newest master key is ${masterKeyId}.`,
    `Verified: the canary is ${rotated.canary}; of ${secretsRead} sampled secret(s), ${secretsUnreadable} could not be decrypted.`,
    ...(unreadable.length > 0
      ? [
          `Could not be unwrapped and were left unchanged: ${unreadable.map((id) => id ?? 'installation').join(', ')}.`,
        ]
      : []),
    ...(rotated.stillNeeded.length > 0 ? [`Still needed: ${rotated.stillNeeded.join(', ')}.`] : []),
    rotated.removable.length > 0
      ? `Can be removed now: ${rotated.removable.join(', ')}. Backups made until today need them: store them with those backups.`
      : 'There is no older master key to remove.',
  ].join('\n');
}
