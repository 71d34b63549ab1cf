import { type KeyringStatus, generateMasterKey, type RotationReport } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';
import { table } from '../table.js';
import { withService } from '../with-service.js';
import { progress } from '../progress.js';

const DAY_MS = 86_400_000;

export const vaultStatus = (vault: Command) =>
  vault
    .command('status')
    .description('show the master keys, their data keys, the processes that hold them, and the next step')
    .action(
      toAction(() =>
        withService(async ({ service: { keyring, ports } }) => {
          const found = await keyring.status();
          if (!found.ok) return found;
          const status = found.value;
          const next = nextStep(status);
          const hasProblem = status.canary !== 'ok' || status.masterKeys.some(({ held }) => !held);
          return commandOutput(present(status, next), textOf(status, next, ports.clock.now()), hasProblem);
        }),
      ),
    );

const present = (status: KeyringStatus, next: string) => ({
  master_keys: status.masterKeys.map(({ id, held, dataKeys, since }) => ({
    id,
    held,
    newest: id === status.newest,
    wraps_new: id === status.wrapping,
    data_keys: dataKeys,
    since: since?.toISOString() ?? null,
  })),
  canary: status.canary,
  processes: status.processes.map(({ app, host, pid, masterKeyIds, lacks, startedAt, seenAt }) => ({
    app,
    host,
    pid,
    master_keys: masterKeyIds,
    lacks,
    started_at: startedAt.toISOString(),
    seen_at: seenAt.toISOString(),
  })),
  next,
});

function textOf(status: KeyringStatus, next: string, now: Date): string {
  const days = (since: Date | null) =>
    since === null ? null : `${Math.max(0, Math.floor((now.getTime() - since.getTime()) / DAY_MS))}`;
  const keys = status.masterKeys.map(({ id, held, dataKeys, since }) => [
    id,
    held ? 'yes' : 'NO',
    `${dataKeys}`,
    days(since),
    [
      ...(id === status.newest ? ['newest'] : []),
      ...(id === status.wrapping ? ['wraps new data keys'] : []),
    ].join(', '),
  ]);
  const processes = status.processes.map(({ app, host, pid, lacks }) => [
    app,
    host,
    `${pid}`,
    lacks.length === 0 ? 'all' : `missing ${lacks.join(', ')}`,
  ]);
  return [
    table(['master key', 'held', 'data keys', 'days', ''], keys, 'No master keys.'),
    '',
    table(
      ['process', 'host', 'pid', 'master keys'],
      processes,
      'No other process of this installation is running.',
    ),
    '',
    `canary  ${status.canary}`,
    `next    ${next}`,
  ].join('\n');
}

/** The next action of the operator. */
function nextStep({ masterKeys, newest, wrapping, processes, canary }: KeyringStatus): string {
  const missing = masterKeys.filter(({ held }) => !held).map(({ id }) => id);
  if (missing.length > 0)
    return `Restore ${missing.join(', ')}: data keys wrapped with them cannot be decrypted.`;
  if (canary !== 'ok') return 'The canary cannot be decrypted: restore a matching database and master key.';
  const processesWithoutNewest = processes.filter(({ lacks }) => lacks.includes(newest));
  if (newest !== wrapping && processesWithoutNewest.length > 0) {
    const names = processesWithoutNewest.map(({ app, pid, host }) => `${app} (process ${pid} on ${host})`);
    return `Add ${newest} to ${names.join(', ')}; then run \`switchboard vault rotate\`.`;
  }
  if (masterKeys.some(({ id, dataKeys }) => id !== newest && dataKeys > 0))
    return 'Run `switchboard vault rotate`: not every data key is wrapped with the newest master key.';
  const unused = masterKeys.filter(({ id }) => id !== newest).map(({ id }) => id);
  if (unused.length > 0)
    return `Remove ${unused.join(', ')} from the master keys and restart; keep a copy with the backups made until now.`;
  return 'Nothing.';
}

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
