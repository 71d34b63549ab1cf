// Packs the packages that an external platform needs, and follows docs/adding-an-external-platform.md with them in an
// empty folder: create, install, test. Needs the registry, so it is not part of `pnpm test`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'switchboard-external-'));
const tarballs = path.join(folder, 'tarballs');
mkdirSync(tarballs);

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${status}`);
}

try {
  const packages = ['domain', 'platform-kit', 'egress', 'oauth', 'simulators', 'fault-injection'];
  for (const name of [...packages, 'create-switchboard-platform'])
    run('pnpm', ['pack', '--pack-destination', tarballs], path.join(root, 'packages', name));
  const creator = readdirSync(tarballs).find((file) => file.startsWith('create-switchboard-platform'));
  for (const [name, flags] of [
    ['fern', []],
    ['moss', ['--minimal']],
  ]) {
    const place = path.join(folder, name);
    const given = [place, name, name, `https://api.${name}.social`, ...flags, '--kit', tarballs];
    const tarball = path.join(tarballs, creator);
    run(
      'npm',
      ['exec', '--yes', `--package=${tarball}`, '--', 'create-switchboard-platform', ...given],
      folder,
    );
    run('npm', ['install', '--no-audit', '--no-fund'], place);
    run('npm', ['test'], place);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
