import { hostname } from 'node:os';
import type { Clock, CountedFault, ProcessRegistry } from '@switchboard/domain/ports';
import { runPeriodically } from '@switchboard/jobs';
import type { MasterKeyProvider } from '@switchboard/vault';
import { ConfigurationError } from './configuration-error.js';

/** Three heartbeats fit into the time after which a process counts as dead. */
const HEARTBEAT_MS = 10_000;

interface ProcessRegistrationOptions {
  readonly id: string;
  readonly app: string;
  readonly holders: ProcessRegistry;
  readonly masterKeys: Pick<MasterKeyProvider, 'list'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly adapterFaults: () => readonly CountedFault[];
  readonly onError: (error: unknown) => void;
}

/**
 * Registers now, and every few seconds, the master keys that this process holds. Must complete before the
 * data key of the installation is read: see `ProcessRegistry.register`. Reading the keys also picks up one
 * that was added to a file.
 */
export async function registerProcess({
  id,
  app,
  holders,
  masterKeys,
  clock,
  adapterFaults,
  onError,
}: ProcessRegistrationOptions) {
  const self = { id, app, host: hostname(), pid: process.pid, startedAt: clock.now() };
  let masterKeyIds: readonly string[] = [];
  let apps: ReadonlySet<string> = new Set();
  const announce = async () => {
    const held = await masterKeys.list();
    // A key service that is briefly unavailable does not remove held keys.
    if (held.ok) masterKeyIds = held.value;
    else if (masterKeyIds.length === 0) throw new ConfigurationError(held.failure.message);
    await holders.register({ ...self, masterKeyIds, adapterFaults: adapterFaults() });
    apps = new Set((await holders.list()).map((holder) => holder.app));
  };
  await announce();
  const heartbeat = runPeriodically(announce, HEARTBEAT_MS, onError);
  return {
    /** Whether a process of this app was running at the last heartbeat of this process. */
    isRunning: (wanted: string) => apps.has(wanted),
    async deregister() {
      await heartbeat.stop();
      await holders.deregister(id);
    },
  };
}
