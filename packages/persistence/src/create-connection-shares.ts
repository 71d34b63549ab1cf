import { createQueryCanceledError } from './create-query-canceled-error.js';

interface ShareWaiter {
  readonly workspaceId: string;
  readonly admit: () => void;
}

/**
 * Bounds how many connections of a pool callers hold at once: `perWorkspace` for one workspace, `total` for
 * all. The rest of the pool is reserved for the worker, key verification and health checks.
 */
export function createConnectionShares({
  total,
  perWorkspace,
}: {
  readonly total: number;
  readonly perWorkspace: number;
}) {
  const held = new Map<string, number>();
  const waiting: ShareWaiter[] = [];
  let inUse = 0;
  const countHeld = (workspaceId: string) => held.get(workspaceId) ?? 0;
  const hasCapacity = (workspaceId: string) => inUse < total && countHeld(workspaceId) < perWorkspace;

  const addUse = (workspaceId: string) => {
    inUse += 1;
    held.set(workspaceId, countHeld(workspaceId) + 1);
  };
  const releaseUse = (workspaceId: string) => {
    inUse -= 1;
    const left = countHeld(workspaceId) - 1;
    if (left === 0) held.delete(workspaceId);
    else held.set(workspaceId, left);
    admitNext();
  };
  /** Of the waiting callers, the first of the workspace with the fewest connections. */
  function admitNext(): void {
    let next: ShareWaiter | undefined;
    for (const one of waiting) {
      if (!hasCapacity(one.workspaceId)) continue;
      if (!next || countHeld(one.workspaceId) < countHeld(next.workspaceId)) next = one;
    }
    next?.admit();
  }

  return {
    /**
     * Resolves with the function that releases the share; rejects after `timeoutMs` or when `signal` is
     * aborted.
     */
    acquire(
      workspaceId: string,
      { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | null },
    ): Promise<() => void> {
      if (signal?.aborted) return Promise.reject(createQueryCanceledError('the caller has disconnected'));
      if (hasCapacity(workspaceId)) {
        addUse(workspaceId);
        return Promise.resolve(() => releaseUse(workspaceId));
      }
      return new Promise((resolve, reject) => {
        const settle = () => {
          waiting.splice(waiting.indexOf(waiter), 1);
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        };
        const waiter: ShareWaiter = {
          workspaceId,
          admit: () => {
            settle();
            addUse(workspaceId);
            resolve(() => releaseUse(workspaceId));
          },
        };
        const cancelWait = (reason: string) => {
          settle();
          reject(createQueryCanceledError(reason));
        };
        const onAbort = () => cancelWait('the caller has disconnected');
        const timer = setTimeout(
          () => cancelWait('timed out waiting for a database connection of this workspace'),
          timeoutMs,
        );
        signal?.addEventListener('abort', onAbort);
        waiting.push(waiter);
      });
    },
  };
}
