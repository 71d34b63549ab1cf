import { createHash } from 'node:crypto';
import type { MediaWriteResult } from '@switchboard/domain/ports';

/** Counts and hashes a stream, and distinguishes a failing source from a failing store. */
export function meterStream(source: AsyncIterable<Uint8Array>, maxBytes: number) {
  const hash = createHash('sha256');
  let bytes = 0;
  let outcome: MediaWriteResult | null = null;
  return {
    /** Yields the bytes as they arrive; throws when the source fails or exceeds the limit. */
    async *stream(): AsyncGenerator<Uint8Array> {
      const pieces = source[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await pieces.next().catch((cause: unknown) => {
            outcome = { kind: 'broken', cause };
            throw new Error('the source stream failed', { cause });
          });
          if (next.done) break;
          bytes += next.value.length;
          if (bytes > maxBytes) {
            outcome = { kind: 'too_large' };
            throw new Error('the stream exceeds the maximum size');
          }
          hash.update(next.value);
          yield next.value;
        }
        outcome = { kind: 'written', bytes, sha256: hash.digest('hex') };
      } finally {
        await pieces.return?.().catch(() => undefined);
      }
    },
    /** The outcome. Null while the failure, if any, lies with the reader. */
    outcome: (): MediaWriteResult | null => outcome,
  };
}
