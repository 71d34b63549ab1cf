import type { Request } from 'express';

/** Whoever sends nothing for so long does not send the rest either. */
export const SILENCE_MS = 30_000;

/**
 * The body of a request as it comes. Throws when it ends early or falls silent while somebody waits for it. Whoever stops reading
 * leaves the connection open, so that it can still be answered.
 */
export async function* bytesOfRequest(request: Request, silenceMs = SILENCE_MS): AsyncGenerator<Uint8Array> {
  const pieces = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await within(silenceMs, pieces.next() as Promise<IteratorResult<Uint8Array, undefined>>);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Waits for the piece that was asked for, which may never come: nobody waits for this.
    void pieces.return?.().catch(() => undefined);
  }
}

async function within<Value>(ms: number, coming: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the body fell silent')), ms);
  });
  coming.catch(() => undefined);
  return Promise.race([coming, silence]).finally(() => clearTimeout(timer));
}
