import { hostname } from 'node:os';
import type { Clock, KeyHolders } from '@switchboard/domain';
import { repeat } from '@switchboard/jobs';
import type { MasterKeyProvider } from '@switchboard/vault';
import { ConfigurationError } from './configuration-error.js';

/** Three of them fit into the time for which a process is taken to live. */
const BEAT_MS = 10_000;

export interface PresenceParts {
  readonly id: string;
  readonly app: string;
  readonly holders: KeyHolders;
  readonly masterKeys: Pick<MasterKeyProvider, 'list'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly onError: (error: unknown) => void;
}

export interface Presence {
  /** Whether a process of this app lived when it was last looked, which is as often as this one says that it lives. */
  lives(app: string): boolean;
  leave(): Promise<void>;
}

/**
 * Says now and every few seconds which master keys this process holds. Must have been said before the installation's data
 * key is read: see `KeyHolders.announce`. Looking at the keys is also how one that was added to a file is taken up.
 */
export async function bePresent({
  id,
  app,
  holders,
  masterKeys,
  clock,
  onError,
}: PresenceParts): Promise<Presence> {
  const self = { id, app, host: hostname(), pid: process.pid, startedAt: clock.now() };
  let known: readonly string[] = [];
  let apps: ReadonlySet<string> = new Set();
  const announce = async () => {
    const held = await masterKeys.list();
    // A key service that is silent for a moment takes nothing away from what is held.
    if (held.ok) known = held.value;
    else if (known.length === 0) throw new ConfigurationError(held.failure.message);
    await holders.announce({ ...self, masterKeyIds: known });
    apps = new Set((await holders.list()).map((holder) => holder.app));
  };
  await announce();
  const beat = repeat(announce, BEAT_MS, onError);
  return {
    lives: (wanted) => apps.has(wanted),
    async leave() {
      await beat.stop();
      await holders.leave(id);
    },
  };
}
