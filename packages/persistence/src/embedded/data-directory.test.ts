import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { NOBODY_UID, prepareDataDirectory } from './data-directory.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchboard-data-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const modeOf = async (directory: string) => (await stat(directory)).mode & 0o777;

describe('the data directory (finding 13)', () => {
  test('is created for its owner only, regardless of the umask', async () => {
    const directory = path.join(folder, 'a/b');
    const umask = process.umask(0);
    try {
      await prepareDataDirectory(directory);
    } finally {
      process.umask(umask);
    }
    expect(await modeOf(directory)).toBe(0o700);
  });

  test('is restricted if it exists with wider permissions, and its permissions are never widened', async () => {
    for (const [before, after] of [
      [0o755, 0o700],
      [0o777, 0o700],
      [0o500, 0o500],
    ] as const) {
      await chmod(folder, before);
      await prepareDataDirectory(folder);
      expect(await modeOf(folder)).toBe(after);
    }
  });

  const isRoot = process.getuid?.() === 0;
  test(`${isRoot ? 'grants the PostgreSQL group traversal' : 'stays restricted'} where it contains the embedded cluster`, async () => {
    await mkdir(path.join(folder, 'pgdata'));
    await chmod(folder, 0o755);
    await prepareDataDirectory(folder);
    const { mode, gid } = await stat(folder);
    expect(mode & 0o777).toBe(isRoot ? 0o710 : 0o700);
    if (isRoot) expect(gid).toBe(NOBODY_UID);
  });
});
