import { createHash } from 'node:crypto';
import type { Clock, MediaFiles } from '../../src/ports/index.js';

interface MemoryFile {
  readonly bytes: Uint8Array;
  readonly modifiedAt: Date;
}

export interface MemoryMediaFiles extends MediaFiles {
  readonly files: Map<string, MemoryFile>;
}

export function memoryMediaFiles(clock: Clock): MemoryMediaFiles {
  const files = new Map<string, MemoryFile>();
  let storeId: string | null = null;
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  return {
    files,
    async write(name, source, maxBytes) {
      const pieces: Uint8Array[] = [];
      let size = 0;
      try {
        for await (const piece of source) {
          size += piece.length;
          if (size > maxBytes) return { kind: 'too_large' };
          pieces.push(piece);
        }
      } catch (cause) {
        return { kind: 'broken', cause };
      }
      const bytes = new Uint8Array(Buffer.concat(pieces));
      files.set(name, { bytes, modifiedAt: clock.now() });
      return { kind: 'written', bytes: size, sha256: digest(bytes) };
    },
    async read(name, range) {
      const file = files.get(name);
      return file ? singleChunk(range ? file.bytes.slice(range.start, range.end + 1) : file.bytes) : null;
    },
    async digest(name) {
      const file = files.get(name);
      return file ? { bytes: file.bytes.length, sha256: digest(file.bytes) } : null;
    },
    async remove(names) {
      for (const name of names) files.delete(name);
    },
    async *list() {
      for (const [name, { modifiedAt }] of files) yield { name, modifiedAt };
    },
    findStoreId: async () => storeId,
    createStoreId: async (mark) => (storeId ??= mark),
  };
}

async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
