import { createHash } from 'node:crypto';
import type { MediaWriteResult } from '@switchboard/domain';

export interface StreamMeter {
  /** The bytes as they come; it throws when they end badly or are too many. */
  stream(): AsyncGenerator<Uint8Array>;
  /** What became of it. Null while the fault, if there is one, lies with whoever reads. */
  outcome(): MediaWriteResult | null;
}

/** Counts and digests what flows through, and tells a stream that breaks from a store that does. */
export function meterStream(source: AsyncIterable<Uint8Array>, maxBytes: number): StreamMeter {
  const hash = createHash('sha256');
  let bytes = 0;
  let outcome: MediaWriteResult | null = null;
  return {
    async *stream() {
      const pieces = source[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await pieces.next().catch((cause: unknown) => {
            outcome = { kind: 'broken', cause };
            throw new Error('the stream broke', { cause });
          });
          if (next.done) break;
          bytes += next.value.length;
          if (bytes > maxBytes) {
            outcome = { kind: 'too_large' };
            throw new Error('the stream is too long');
          }
          hash.update(next.value);
          yield next.value;
        }
        outcome = { kind: 'written', bytes, sha256: hash.digest('hex') };
      } finally {
        await pieces.return?.().catch(() => undefined);
      }
    },
    outcome: () => outcome,
  };
}
