import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { installIsolated } from './install-isolated.js';

let folder: string;
const dependency = () => join(folder, 'node_modules', 'left');
const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
const writeManifest = (dependencies: Record<string, string>) =>
  writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'rig', private: true, dependencies }));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-install-'));
  await mkdir(join(folder, 'left'));
  await writeFile(join(folder, 'left', 'package.json'), '{"name":"left","version":"1.0.0"}');
  await writeManifest({ left: 'link:./left' });
  await writeFile(join(folder, 'pnpm-workspace.yaml'), 'packages:\n  - .\npmOnFail: ignore\n');
  await writeFile(
    join(folder, 'pnpm-lock.yaml'),
    `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true
  excludeLinksFromLockfile: false

importers:

  .:
    dependencies:
      left:
        specifier: link:./left
        version: link:left
`,
  );
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test('installs once, and again only after the lockfile has changed', async () => {
  await installIsolated(folder);
  expect(await isThere(dependency())).toBe(true);

  await rm(dependency(), { force: true });
  await installIsolated(folder);
  expect(await isThere(dependency())).toBe(false);

  const lockfile = join(folder, 'pnpm-lock.yaml');
  await writeFile(lockfile, `# changed\n${await readFile(lockfile, 'utf8')}`);
  await rm(join(folder, 'node_modules'), { recursive: true });
  await installIsolated(folder);
  expect(await isThere(dependency())).toBe(true);
});

test('waits while another run installs', async () => {
  const other = new DatabaseSync(join(folder, '.install.lock'));
  other.exec('BEGIN EXCLUSIVE');
  const installing = installIsolated(folder);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await isThere(dependency())).toBe(false);
  other.close();
  await installing;
  expect(await isThere(dependency())).toBe(true);
});

test('reports what could not be installed, the reason and the command to run, and does not treat it as installed', async () => {
  await writeManifest({ left: 'link:./left', right: '1.0.0' });
  for (const attempt of [1, 2]) {
    const failure = await installIsolated(folder).then(
      () => `attempt ${attempt} passed`,
      (error: unknown) => String(error),
    );
    expect(failure).toContain('switchboard-install-');
    expect(failure).toContain('pnpm install --frozen-lockfile');
    expect(failure).toContain('not up');
  }
});
