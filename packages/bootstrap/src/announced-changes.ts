import { setTimeout as sleep } from 'node:timers/promises';
import type { Changes } from '@switchboard/domain';
import { CHANGE_NOTICES, type Notices } from '@switchboard/persistence';

/** A change that committed while its request took its slot may have been announced to nobody: look once more, soon. */
const FIRST_LOOK_MS = 1000;
const LOOK_MS = 5000;
/** While announcements cannot be heard. */
const DEAF_LOOK_MS = 500;

/** Wakes requests when the database announces the change that they wait for. */
export function announcedChanges(notices: Pick<Notices, 'on' | 'state'>): Changes {
  const watches = new Map<string, Set<() => void>>();
  notices.on(CHANGE_NOTICES, (objectId) => {
    const woken = objectId === null ? [...watches.values()] : [watches.get(objectId) ?? []];
    for (const watch of woken) for (const wake of watch) wake();
  });

  return {
    watch(objectId) {
      let hasChanged = false;
      let looks = 0;
      let wakeSleeper = () => {};
      const wake = () => {
        hasChanged = true;
        wakeSleeper();
      };
      const watching = watches.get(objectId) ?? new Set();
      watches.set(objectId, watching.add(wake));
      const lookMs = () => {
        looks += 1;
        if (notices.state() !== 'listening') return DEAF_LOOK_MS;
        return looks === 1 ? FIRST_LOOK_MS : LOOK_MS;
      };

      return {
        async next(timeoutMs, signal) {
          if (!hasChanged) {
            const woken = new AbortController();
            wakeSleeper = () => woken.abort();
            const ends = AbortSignal.any([woken.signal, signal]);
            await sleep(Math.min(timeoutMs, lookMs()), undefined, { signal: ends }).catch(() => undefined);
            wakeSleeper = () => {};
          }
          hasChanged = false;
        },
        close() {
          watching.delete(wake);
          if (watching.size === 0 && watches.get(objectId) === watching) watches.delete(objectId);
        },
      };
    },
  };
}
