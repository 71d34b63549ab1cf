import type { MediaBytes } from '@switchboard/domain/ports';
import { readAll } from '../read-all.js';

const WINDOW_BYTES = 8 * 1024;

/** A file with small reads at arbitrary positions: data near the previous read is not read again. */
export interface WindowedFile {
  readonly bytes: number;
  /** `length` bytes from `start`; fewer, or none, at the end of the file. */
  at(start: number, length: number): Promise<Buffer>;
}

export function windowedFile(file: MediaBytes): WindowedFile {
  let window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  const read = async (start: number, length: number): Promise<Buffer> => {
    const end = Math.min(file.bytes, start + length);
    return end > start ? readAll(file.read({ start, end: end - 1 })) : Buffer.alloc(0);
  };
  return {
    bytes: file.bytes,
    async at(start, length) {
      if (length > WINDOW_BYTES) return read(start, length);
      const isInside = () => start >= window.start && start + length <= window.start + window.bytes.length;
      if (!isInside()) window = { start, bytes: await read(start, WINDOW_BYTES) };
      return window.bytes.subarray(start - window.start, start - window.start + length);
    },
  };
}
