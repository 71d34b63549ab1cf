import type { Request } from 'express';

/** A client that is idle this long is assumed to send no more. */
const IDLE_TIMEOUT_MS = 30_000;

/**
 * The body of a request as it arrives. Throws when it ends early or is idle while a reader waits for data. A
 * reader that stops early leaves the connection open, so that it can still respond.
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
    // Would wait for the requested chunk, which may never arrive: not awaited.
    void chunks.return?.().catch(() => undefined);
  }
}

async function withTimeout<Value>(ms: number, pending: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the request body timed out')), ms);
  });
  pending.catch(() => undefined);
  return Promise.race([pending, timeout]).finally(() => clearTimeout(timer));
}
