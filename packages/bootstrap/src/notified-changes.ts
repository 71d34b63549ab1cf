import { setTimeout as sleep } from 'node:timers/promises';
import type { Changes } from '@switchboard/domain/ports';
import { CHANGES_CHANNEL, type NotificationListener } from '@switchboard/persistence';

/**
 * A change that commits while its request acquires the slot may have been announced before the request
 * listens: poll once more soon.
 */
const FIRST_POLL_MS = 1000;
const POLL_MS = 5000;
/** While announcements are unavailable. */
const DISCONNECTED_POLL_MS = 500;

/** Wakes waiting requests when the database announces the change that they wait for. */
export function notifiedChanges(notices: Pick<NotificationListener, 'on' | 'state'>): Changes {
  const watches = new Map<string, Set<() => void>>();
  notices.on(CHANGES_CHANNEL, (objectId) => {
    const woken = objectId === null ? [...watches.values()] : [watches.get(objectId) ?? []];
    for (const watch of woken) for (const wake of watch) wake();
  });

  return {
    watch(objectId) {
      let hasChanged = false;
      let polls = 0;
      let wakeWaiter = () => {};
      const wake = () => {
        hasChanged = true;
        wakeWaiter();
      };
      const wakers = watches.get(objectId) ?? new Set();
      watches.set(objectId, wakers.add(wake));
      const nextPollMs = () => {
        polls += 1;
        if (notices.state() !== 'listening') return DISCONNECTED_POLL_MS;
        return polls === 1 ? FIRST_POLL_MS : POLL_MS;
      };

      return {
        async next(timeoutMs, signal) {
          if (!hasChanged) {
            const woken = new AbortController();
            wakeWaiter = () => woken.abort();
            const wakeSignal = AbortSignal.any([woken.signal, signal]);
            await sleep(Math.min(timeoutMs, nextPollMs()), undefined, { signal: wakeSignal }).catch(
              () => undefined,
            );
            wakeWaiter = () => {};
          }
          hasChanged = false;
        },
        close() {
          wakers.delete(wake);
          if (wakers.size === 0 && watches.get(objectId) === wakers) watches.delete(objectId);
        },
      };
    },
  };
}
