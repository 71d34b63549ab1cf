import type { Request } from 'express';

/** Whoever sends nothing for so long does not send the rest either. */
export const IDLE_TIMEOUT_MS = 30_000;

/**
 * The body of a request as it comes. Throws when it ends early or falls silent while somebody waits for it. Whoever stops reading
 * leaves the connection open, so that it can still be answered.
 */
export async function* readRequestBytes(
  request: Request,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
): AsyncGenerator<Uint8Array> {
  const chunks = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await withTimeout(
        idleTimeoutMs,
        chunks.next() as Promise<IteratorResult<Uint8Array, undefined>>,
      );
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Waits for the piece that was asked for, which may never come: nobody waits for this.
    void chunks.return?.().catch(() => undefined);
  }
}

async function withTimeout<Value>(ms: number, pending: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the body fell silent')), ms);
  });
  pending.catch(() => undefined);
  return Promise.race([pending, timeout]).finally(() => clearTimeout(timer));
}
