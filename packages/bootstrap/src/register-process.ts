import { hostname } from 'node:os';
import type { Clock, ProcessRegistry } from '@switchboard/domain';
import { runPeriodically } from '@switchboard/jobs';
import type { MasterKeyProvider } from '@switchboard/vault';
import { ConfigurationError } from './configuration-error.js';

/** Three of them fit into the time for which a process is taken to live. */
const HEARTBEAT_MS = 10_000;

export interface ProcessRegistrationOptions {
  readonly id: string;
  readonly app: string;
  readonly holders: ProcessRegistry;
  readonly masterKeys: Pick<MasterKeyProvider, 'list'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly onError: (error: unknown) => void;
}

export interface ProcessRegistration {
  /** Whether a process of this app lived when it was last looked, which is as often as this one says that it lives. */
  isRunning(app: string): boolean;
  deregister(): Promise<void>;
}

/**
 * Says now and every few seconds which master keys this process holds. Must have been said before the installation's data
 * key is read: see `KeyHolders.announce`. Looking at the keys is also how one that was added to a file is taken up.
 */
export async function registerProcess({
  id,
  app,
  holders,
  masterKeys,
  clock,
  onError,
}: ProcessRegistrationOptions): Promise<ProcessRegistration> {
  const self = { id, app, host: hostname(), pid: process.pid, startedAt: clock.now() };
  let masterKeyIds: readonly string[] = [];
  let apps: ReadonlySet<string> = new Set();
  const announce = async () => {
    const held = await masterKeys.list();
    // A key service that is silent for a moment takes nothing away from what is held.
    if (held.ok) masterKeyIds = held.value;
    else if (masterKeyIds.length === 0) throw new ConfigurationError(held.failure.message);
    await holders.register({ ...self, masterKeyIds });
    apps = new Set((await holders.list()).map((holder) => holder.app));
  };
  await announce();
  const heartbeat = runPeriodically(announce, HEARTBEAT_MS, onError);
  return {
    isRunning: (wanted) => apps.has(wanted),
    async deregister() {
      await heartbeat.stop();
      await holders.deregister(id);
    },
  };
}
