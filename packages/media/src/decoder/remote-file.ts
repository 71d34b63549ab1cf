import type { ByteRange, MediaBytes } from '@switchboard/domain/ports';

/** The number of bytes per request. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** A file that another thread reads. `fetchRange` rejects when that thread cannot, or may not, read it. */
export function remoteFile(bytes: number, fetchRange: (range: ByteRange) => Promise<Uint8Array>): MediaBytes {
  return {
    bytes,
    async *read({ start, end }) {
      for (let at = start; at <= end; at += PIECE_BYTES) {
        yield await fetchRange({ start: at, end: Math.min(at + PIECE_BYTES - 1, end) });
      }
    },
  };
}
