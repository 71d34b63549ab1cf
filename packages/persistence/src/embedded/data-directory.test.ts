import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { leaseServer } from './client.js';
import { getServerStatus, stopServer } from './control.js';
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

  test('is restricted also where it contains a cluster', async () => {
    await mkdir(path.join(folder, 'pgdata'));
    await chmod(folder, 0o755);
    await prepareDataDirectory(folder);
    expect(await modeOf(folder)).toBe(0o700);
  });
});

if (process.platform === 'linux' && process.getuid?.() === 0) {
  describe('the data directory of root, whose PostgreSQL runs as `nobody`', () => {
    let stateDir: string;
    beforeEach(async () => {
      await chmod(folder, 0o755);
      stateDir = path.join(folder, 'state');
    });
    afterEach(() => stopServer(stateDir));

    const listAsNobody = (directory: string) =>
      spawnSync('ls', [directory], { uid: NOBODY_UID, gid: NOBODY_UID, cwd: '/', encoding: 'utf8' });
    const leaseAndQuery = async (sql: string) => {
      const lease = await leaseServer({ stateDir });
      const client = new pg.Client({ connectionString: lease.url });
      await client.connect();
      const { rows } = await client.query(sql);
      await client.end();
      const status = await getServerStatus(stateDir);
      if (!status.running) throw new Error('the server is not running');
      const mode = await modeOf(stateDir);
      const listings = [stateDir, path.join(stateDir, 'pgdata')].map(listAsNobody);
      await lease.release();
      return { rows, mode, status, listings };
    };

    test('is closed to other users while PostgreSQL runs', async () => {
      const { mode, status, listings } = await leaseAndQuery('SELECT 1');
      expect(mode).toBe(0o700);
      expect(listAsNobody(folder)).toMatchObject({ status: 0, stdout: 'state\n' });
      for (const listing of listings) {
        expect(listing).toMatchObject({ stdout: '', stderr: expect.stringContaining('Permission denied') });
      }
      expect((await stat(`/proc/${status.postgresPid}`)).uid).toBe(NOBODY_UID);
    });

    test('is closed where an earlier version let the group of PostgreSQL traverse it', async () => {
      await leaseAndQuery('CREATE TABLE mark AS SELECT 1');
      await stopServer(stateDir);
      await chown(stateDir, 0, NOBODY_UID);
      await chmod(stateDir, 0o710);
      const { mode, rows } = await leaseAndQuery('TABLE mark');
      expect({ mode, rows: rows.length }).toEqual({ mode: 0o700, rows: 1 });
      expect((await stat(stateDir)).gid).toBe(0);
    });

    test('contains the cluster also below a closed directory', async () => {
      await chmod(folder, 0o700);
      expect(await leaseAndQuery('SELECT 1')).toMatchObject({ mode: 0o700 });
      expect((await stat(path.join(stateDir, 'pgdata/PG_VERSION'))).uid).toBe(NOBODY_UID);
    });
  });
}
