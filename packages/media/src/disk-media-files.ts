import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ByteRange, MediaFiles, MediaWriteResult } from '@switchboard/domain/ports';
import { assertFileName } from './assert-file-name.js';
import { digestStream } from './digest-stream.js';
import { meterStream } from './meter-stream.js';

const STORE_ID_FILE = 'store';
const INCOMING = 'incoming';
/** Longer than any upload takes. */
const ABANDONED_MS = 86_400_000;

/** What `link` fails with on a file system without hard links, such as SMB or FAT. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** Media in a local folder, with one level of subfolders to limit their size. */
export function diskMediaFiles(folder: string, linkFile: typeof link = link): MediaFiles {
  const folderOf = (name: string) => path.join(folder, assertFileName(name).slice(0, 2).toLowerCase());
  const pathOf = (name: string) => path.join(folderOf(name), name);
  const incomingFolder = path.join(folder, INCOMING);
  const storeIdPath = path.join(folder, STORE_ID_FILE);

  async function read(name: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | null> {
    const handle = await open(pathOf(name)).catch(nullIfMissing);
    if (!handle) return null;
    return handle.createReadStream(range ? { start: range.start, end: range.end } : {});
  }

  return {
    read,
    async write(name, source, maxBytes): Promise<MediaWriteResult> {
      await mkdir(incomingFolder, { recursive: true, mode: 0o700 });
      await mkdir(folderOf(name), { recursive: true, mode: 0o700 });
      const partialPath = path.join(incomingFolder, assertFileName(name));
      const metered = meterStream(source, maxBytes);
      const handle = await open(partialPath, 'wx', 0o600);
      try {
        for await (const piece of metered.stream()) await handle.writeFile(piece);
        await handle.sync();
        await handle.close();
        await rename(partialPath, pathOf(name));
        await syncFolder(folderOf(name));
      } catch (error) {
        await handle.close().catch(() => undefined);
        await rm(partialPath, { force: true });
        const outcome = metered.outcome();
        if (outcome && outcome.kind !== 'written') return outcome;
        throw error;
      }
      return metered.outcome() ?? { kind: 'broken', cause: null };
    },
    async digest(name) {
      const stream = await read(name);
      return stream && digestStream(stream);
    },
    async remove(names) {
      for (const name of names) await rm(pathOf(name), { force: true });
    },
    async *list() {
      await removeAbandonedUploads(incomingFolder);
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        if (!entry.isDirectory() || entry.name === INCOMING) continue;
        for (const name of await readdir(path.join(folder, entry.name))) {
          const found = await stat(path.join(folder, entry.name, name)).catch(nullIfMissing);
          if (found?.isFile()) yield { name, modifiedAt: found.mtime };
        }
      }
    },
    findStoreId: () => readFile(storeIdPath, 'utf8').catch(nullIfMissing),
    async createStoreId(mark) {
      await mkdir(incomingFolder, { recursive: true, mode: 0o700 });
      // Written elsewhere and linked into place: another process never reads a partial id, even after a crash.
      const temporaryPath = path.join(incomingFolder, randomUUID());
      try {
        await writeFile(temporaryPath, mark, { flag: 'wx', mode: 0o600, flush: true });
        await linkFile(temporaryPath, storeIdPath).catch((error: NodeJS.ErrnoException) => {
          if (!NO_HARD_LINKS.has(error.code ?? '')) throw error;
          return writeFile(storeIdPath, mark, { flag: 'wx', mode: 0o600, flush: true });
        });
        await syncFolder(folder);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      } finally {
        await rm(temporaryPath, { force: true });
      }
      return readFile(storeIdPath, 'utf8');
    },
  };
}

async function removeAbandonedUploads(incoming: string): Promise<void> {
  for (const name of await readdir(incoming).catch(() => [])) {
    const file = path.join(incoming, name);
    const found = await stat(file).catch(nullIfMissing);
    if (found && found.mtimeMs < performance.timeOrigin + performance.now() - ABANDONED_MS)
      await rm(file, { force: true });
  }
}

/** A name is durable only after its folder is synced. Windows does not support this, and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
