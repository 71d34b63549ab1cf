import type { KeyringStatus } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput } from '../command-result.js';
import { table } from '../table.js';
import { withService } from '../with-service.js';

const DAY_MS = 86_400_000;

export const vaultStatus = (vault: Command) =>
  vault
    .command('status')
    .description('the master keys, what each wraps, who holds them, and what to do next')
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
      ...(id === status.wrapping ? ['wraps what is new'] : []),
    ].join(', '),
  ]);
  const processes = status.processes.map(({ app, host, pid, lacks }) => [
    app,
    host,
    `${pid}`,
    lacks.length === 0 ? 'all' : `lacks ${lacks.join(', ')}`,
  ]);
  return [
    table(['master key', 'held', 'data keys', 'days', ''], keys, 'There is no master key.'),
    '',
    table(
      ['process', 'host', 'pid', 'master keys'],
      processes,
      'No other process of this installation lives.',
    ),
    '',
    `canary  ${status.canary}`,
    `next    ${next}`,
  ].join('\n');
}

/** The one thing to do now. */
function nextStep({ masterKeys, newest, wrapping, processes, canary }: KeyringStatus): string {
  const missing = masterKeys.filter(({ held }) => !held).map(({ id }) => id);
  if (missing.length > 0)
    return `Put back ${missing.join(', ')}: what is wrapped with them cannot be opened.`;
  if (canary !== 'ok')
    return 'The canary does not open: restore the database and the master key that belong together.';
  const processesWithoutNewest = processes.filter(({ lacks }) => lacks.includes(newest));
  if (newest !== wrapping && processesWithoutNewest.length > 0) {
    const names = processesWithoutNewest.map(({ app, pid, host }) => `${app} (process ${pid} on ${host})`);
    return `Give ${newest} to ${names.join(', ')}; then run \`switchboard vault rotate\`.`;
  }
  if (masterKeys.some(({ id, dataKeys }) => id !== newest && dataKeys > 0))
    return 'Run `switchboard vault rotate`: not everything is wrapped with the newest master key.';
  const unused = masterKeys.filter(({ id }) => id !== newest).map(({ id }) => id);
  if (unused.length > 0)
    return `Take ${unused.join(', ')} out of the master keys and restart; keep a copy with the backups made until now.`;
  return 'Nothing.';
}
