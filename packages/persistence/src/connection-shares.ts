import { queryCanceled } from './query-canceled.js';

interface Waiting {
  readonly workspaceId: string;
  readonly admit: () => void;
}

/**
 * Bounds how many connections of a pool callers hold at once: `perWorkspace` those of one workspace, `total` all of them. The
 * rest of the pool is left to the worker, to the verification of keys and to health checks.
 */
export function connectionShares({
  total,
  perWorkspace,
}: {
  readonly total: number;
  readonly perWorkspace: number;
}) {
  const held = new Map<string, number>();
  const waiting: Waiting[] = [];
  let inUse = 0;
  const heldBy = (workspaceId: string) => held.get(workspaceId) ?? 0;
  const mayEnter = (workspaceId: string) => inUse < total && heldBy(workspaceId) < perWorkspace;

  const take = (workspaceId: string) => {
    inUse += 1;
    held.set(workspaceId, heldBy(workspaceId) + 1);
  };
  const leave = (workspaceId: string) => {
    inUse -= 1;
    const left = heldBy(workspaceId) - 1;
    if (left === 0) held.delete(workspaceId);
    else held.set(workspaceId, left);
    admitNext();
  };
  /** Of those that wait, the first of the workspace that holds the fewest. */
  function admitNext(): void {
    let next: Waiting | undefined;
    for (const one of waiting) {
      if (!mayEnter(one.workspaceId)) continue;
      if (!next || heldBy(one.workspaceId) < heldBy(next.workspaceId)) next = one;
    }
    next?.admit();
  }

  return {
    /** Resolves with what gives the connection back; rejects when it takes longer than `timeoutMs` or `signal` is aborted. */
    enter(
      workspaceId: string,
      { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | null },
    ): Promise<() => void> {
      if (signal?.aborted) return Promise.reject(queryCanceled('the caller has disconnected'));
      if (mayEnter(workspaceId)) {
        take(workspaceId);
        return Promise.resolve(() => leave(workspaceId));
      }
      return new Promise((resolve, reject) => {
        const settle = () => {
          waiting.splice(waiting.indexOf(one), 1);
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        };
        const one: Waiting = {
          workspaceId,
          admit: () => {
            settle();
            take(workspaceId);
            resolve(() => leave(workspaceId));
          },
        };
        const giveUp = (why: string) => {
          settle();
          reject(queryCanceled(why));
        };
        const onAbort = () => giveUp('the caller has disconnected');
        const timer = setTimeout(
          () => giveUp("the workspace's share of the connections was in use for too long"),
          timeoutMs,
        );
        signal?.addEventListener('abort', onAbort);
        waiting.push(one);
      });
    },
  };
}
