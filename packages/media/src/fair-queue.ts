/** The outcome of a queued item. */
type QueueResult<Value> =
  | { readonly kind: 'ran'; readonly value: Value }
  | { readonly kind: 'full' }
  | { readonly kind: 'interrupted' };

interface QueueRequest {
  readonly key: string;
  /** Enters the queue regardless of the waiting limit. */
  readonly bypassesLimit?: boolean | undefined;
  /**
   * Stops waiting, for the turn and for the result: work that has started continues and keeps its slot until
   * it releases it.
   */
  readonly signal?: AbortSignal | undefined;
}

interface FairQueueOptions {
  readonly slots: number;
  readonly slotsPerKey: number;
  readonly waitingMaxPerKey: number;
  /** How long an item waited before it started. */
  readonly onBegin?: ((waitedSeconds: number) => void) | undefined;
}

interface QueuedItem {
  readonly key: string;
  readonly begin: () => void;
  readonly interrupt: () => void;
}

/**
 * A round-robin queue: each key has its own FIFO queue, and a free slot goes to the key that has waited
 * longest since its last turn. With fewer slots per key than slots in total, one key never occupies all of
 * them.
 */
export function fairQueue({ slots, slotsPerKey, waitingMaxPerKey, onBegin }: FairQueueOptions) {
  /** In turn order: a key moves to the end after its turn. */
  const queues = new Map<string, QueuedItem[]>();
  const running = new Map<string, number>();
  let runningCount = 0;
  let closed = false;

  const runningOf = (key: string) => running.get(key) ?? 0;
  const waitingOf = (key: string) => queues.get(key)?.length ?? 0;

  function takeNext(): QueuedItem | undefined {
    if (runningCount >= slots) return undefined;
    for (const [key, line] of queues) {
      if (runningOf(key) >= slotsPerKey) continue;
      const item = line.shift();
      queues.delete(key);
      if (line.length > 0) queues.set(key, line);
      return item;
    }
    return undefined;
  }

  function startNext(): void {
    for (let item = takeNext(); item; item = takeNext()) {
      runningCount += 1;
      running.set(item.key, runningOf(item.key) + 1);
      item.begin();
    }
  }

  function release(key: string): void {
    runningCount -= 1;
    const left = runningOf(key) - 1;
    if (left === 0) running.delete(key);
    else running.set(key, left);
    startNext();
  }

  function removeItem(item: QueuedItem): void {
    const line = queues.get(item.key) ?? [];
    const at = line.indexOf(item);
    if (at === -1) return;
    line.splice(at, 1);
    if (line.length === 0) queues.delete(item.key);
  }

  const canBegin = (key: string) =>
    runningCount < slots && runningOf(key) < slotsPerKey && waitingOf(key) === 0;

  function run<Value>(
    { key, bypassesLimit = false, signal }: QueueRequest,
    work: (release: () => void) => Promise<Value>,
  ): Promise<QueueResult<Value>> {
    if (closed || signal?.aborted) return Promise.resolve({ kind: 'interrupted' });
    if (!bypassesLimit && !canBegin(key) && waitingOf(key) >= waitingMaxPerKey)
      return Promise.resolve({ kind: 'full' });
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now();
      const item: QueuedItem = {
        key,
        begin() {
          onBegin?.((performance.now() - sinceMs) / 1000);
          let released = false;
          const releaseOnce = () => {
            if (released) return;
            released = true;
            release(key);
          };
          work(releaseOnce)
            .then((value) => resolve({ kind: 'ran', value }), reject)
            .finally(() => signal?.removeEventListener('abort', onAbort));
        },
        interrupt() {
          signal?.removeEventListener('abort', onAbort);
          resolve({ kind: 'interrupted' });
        },
      };
      const onAbort = () => {
        removeItem(item);
        item.interrupt();
      };
      signal?.addEventListener('abort', onAbort);
      const line = queues.get(key);
      if (line) line.push(item);
      else queues.set(key, [item]);
      startNext();
    });
  }

  return {
    /**
     * Runs `work` when it is the key's turn. The slot is free again, for the key and for others, when `release`
     * is called.
     */
    run,
    isFull: (key: string) => waitingOf(key) >= waitingMaxPerKey,
    depth: (): { readonly waiting: number; readonly running: number } => ({
      waiting: [...queues.values()].reduce((sum, line) => sum + line.length, 0),
      running: runningCount,
    }),
    /** Interrupts all waiting and later items. Running items are not affected. */
    close() {
      closed = true;
      const items = [...queues.values()].flat();
      queues.clear();
      for (const item of items) item.interrupt();
    },
  };
}
