import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { MediaFiles } from '../../src/ports/index.js';

const MIB = 1024 * 1024;

/** The contract of a media store. `make` creates an empty one. */
export function mediaFilesContract(make: () => Promise<MediaFiles>): void {
  describe('MediaFiles', () => {
    let files: MediaFiles;
    beforeAll(async () => {
      files = await make();
    });
    const newName = () => randomBytes(32).toString('base64url');
    async function* chunksOf(bytes: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const whole = async (stream: AsyncIterable<Uint8Array> | null) => {
      if (!stream) return null;
      const pieces: Uint8Array[] = [];
      for await (const piece of stream) pieces.push(piece);
      return Buffer.concat(pieces);
    };
    const names = async () => {
      const found: string[] = [];
      for await (const { name } of files.list()) found.push(name);
      return found;
    };
    const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

    test.each([
      ['nothing', 0],
      ['one byte', 1],
      ['several chunks', 250_000],
      ['more than fits in memory', 27 * MIB + 1],
    ])('%s is returned byte for byte, with its digest', async (_what, size) => {
      const [name, bytes] = [newName(), randomBytes(size)];
      const kept = { bytes: size, sha256: sha256(bytes) };
      expect(await files.write(name, chunksOf(bytes), size)).toEqual({ kind: 'written', ...kept });
      expect((await whole(await files.read(name)))?.equals(bytes)).toBe(true);
      expect(await files.digest(name)).toEqual(kept);
    });

    test('a range includes both of its ends', async () => {
      const [name, bytes] = [newName(), randomBytes(10_000)];
      await files.write(name, chunksOf(bytes), MIB);
      for (const [start, end] of [
        // Not from 0 to 0: the S3 server of the tests interprets that as the whole file.
        [0, 1],
        [0, 9_999],
        [500, 999],
        [9_999, 9_999],
      ] as const) {
        const part = await whole(await files.read(name, { start, end }));
        expect(part?.equals(bytes.subarray(start, end + 1))).toBe(true);
      }
    });

    test.each([
      ['small', 1000],
      ['large', 20 * MIB],
    ])('a %s stream that is too long leaves nothing behind', async (_what, maxBytes) => {
      const name = newName();
      const written = await files.write(name, chunksOf(randomBytes(maxBytes + 1)), maxBytes);
      expect(written).toEqual({ kind: 'too_large' });
      expect(await files.read(name)).toBeNull();
      expect(await names()).not.toContain(name);
    });

    test.each([
      ['at once', 0],
      ['in the middle', 20 * MIB],
    ])('a stream that breaks %s leaves nothing behind, and its cause is returned', async (_what, after) => {
      const [name, cause] = [newName(), new Error('hung up')];
      async function* failingStream() {
        yield* chunksOf(randomBytes(after));
        throw cause;
      }
      expect(await files.write(name, failingStream(), 1024 * MIB)).toEqual({ kind: 'broken', cause });
      expect(await files.read(name)).toBeNull();
      expect(await names()).not.toContain(name);
    });

    test('a stream is not read further once it is too long', async () => {
      let read = 0;
      async function* endlessStream() {
        for (;;) {
          read += 1000;
          yield randomBytes(1000);
        }
      }
      expect(await files.write(newName(), endlessStream(), 100_000)).toEqual({ kind: 'too_large' });
      expect(read).toBeLessThan(200_000);
    });

    test('a removed file is gone, and removing a missing one succeeds', async () => {
      const [kept, gone] = [newName(), newName()];
      for (const name of [kept, gone]) await files.write(name, chunksOf(randomBytes(10)), 10);
      expect(await names()).toEqual(expect.arrayContaining([kept, gone]));
      await files.remove([gone, newName()]);
      expect(await files.read(gone)).toBeNull();
      expect(await files.digest(gone)).toBeNull();
      expect(await names()).toContain(kept);
      expect(await names()).not.toContain(gone);
      await files.remove([]);
    });

    test('a list contains modification times', async () => {
      const name = newName();
      await files.write(name, chunksOf(randomBytes(10)), 10);
      const times = new Map<string, Date>();
      for await (const file of files.list()) times.set(file.name, file.modifiedAt);
      const now = performance.timeOrigin + performance.now();
      expect(Math.abs((times.get(name)?.getTime() ?? 0) - now)).toBeLessThan(60_000);
    });

    test('the first store id is kept, and is not a file; simultaneous callers receive the whole of it', async () => {
      expect(await files.findStoreId()).toBeNull();
      // Of different lengths, so that one is complete while others are still being written.
      const ids = ['a'.repeat(100), 'b'.repeat(2 * MIB), 'c'.repeat(8 * MIB)];
      const created = await Promise.all(ids.map(async (id) => files.createStoreId(id)));
      const [first = ''] = created;
      expect(ids.includes(first)).toBe(true);
      expect(created.every((id) => id === first)).toBe(true);
      expect((await files.createStoreId('later')) === first).toBe(true);
      expect((await files.findStoreId()) === first).toBe(true);
      for (const name of await names()) expect(name.length).toBeGreaterThan(40);
    });
  });
}
