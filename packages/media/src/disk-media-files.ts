import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ByteRange, MediaFiles, Written } from '@switchboard/domain';
import { checkedName } from './checked-name.js';
import { digestOf } from './digest-of.js';
import { meter } from './meter.js';

const MARK = 'store';
const INCOMING = 'incoming';
/** Longer than anybody takes to bring a file. */
const ABANDONED_MS = 86_400_000;

/** Media in a folder of this machine: one level of folders, so that none grows without end. */
export function diskMediaFiles(folder: string): MediaFiles {
  const folderOf = (name: string) => path.join(folder, checkedName(name).slice(0, 2).toLowerCase());
  const pathOf = (name: string) => path.join(folderOf(name), name);
  const incoming = path.join(folder, INCOMING);
  const marked = path.join(folder, MARK);

  async function read(name: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | null> {
    const handle = await open(pathOf(name)).catch(unlessMissing);
    if (!handle) return null;
    return handle.createReadStream(range ? { start: range.start, end: range.end } : {});
  }

  return {
    read,
    async write(name, source, maxBytes): Promise<Written> {
      await mkdir(incoming, { recursive: true, mode: 0o700 });
      await mkdir(folderOf(name), { recursive: true, mode: 0o700 });
      const half = path.join(incoming, checkedName(name));
      const metered = meter(source, maxBytes);
      const handle = await open(half, 'wx', 0o600);
      try {
        for await (const piece of metered.stream()) await handle.writeFile(piece);
        await handle.sync();
        await handle.close();
        await rename(half, pathOf(name));
        await syncFolder(folderOf(name));
      } catch (error) {
        await handle.close().catch(() => undefined);
        await rm(half, { force: true });
        const outcome = metered.outcome();
        if (outcome && outcome.kind !== 'written') return outcome;
        throw error;
      }
      return metered.outcome() ?? { kind: 'broken', cause: null };
    },
    async digest(name) {
      const stream = await read(name);
      return stream && digestOf(stream);
    },
    async remove(names) {
      for (const name of names) await rm(pathOf(name), { force: true });
    },
    async *list() {
      await removeAbandoned(incoming);
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        if (!entry.isDirectory() || entry.name === INCOMING) continue;
        for (const name of await readdir(path.join(folder, entry.name))) {
          const found = await stat(path.join(folder, entry.name, name)).catch(unlessMissing);
          if (found?.isFile()) yield { name, modifiedAt: found.mtime };
        }
      }
    },
    findMark: () => readFile(marked, 'utf8').catch(unlessMissing),
    async leaveMark(mark) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(marked, mark, { flag: 'wx', mode: 0o600, flush: true }).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      });
      return readFile(marked, 'utf8');
    },
  };
}

async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming).catch(() => [])) {
    const file = path.join(incoming, name);
    const found = await stat(file).catch(unlessMissing);
    if (found && found.mtimeMs < performance.timeOrigin + performance.now() - ABANDONED_MS)
      await rm(file, { force: true });
  }
}

/** A name is only there for good when its folder is written too. Windows has no such thing, and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unlessMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
