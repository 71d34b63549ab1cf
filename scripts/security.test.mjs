import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '..');
const text = (file) => readFileSync(path.join(root, file), 'utf8');

describe('docs/security.md', () => {
  const document = text('docs/security.md');
  const threats = document
    .slice(document.indexOf('## Threats'))
    .split('\n')
    .filter((line) => /^\|.*\| [STRIDE](, [STRIDE])* *\|/.test(line));
  const testsIn = (row) => [...row.matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, file]) => file);

  test('has the threats', () => expect(threats.length).toBeGreaterThan(35));

  test.each(threats)('names existing tests: %s', (row) => {
    const named = testsIn(row);
    expect(named.length).toBeGreaterThan(0);
    const isThere = (file) => ['', 'packages'].some((folder) => existsSync(path.join(root, folder, file)));
    expect(named.filter((file) => !isThere(file))).toEqual([]);
  });
});

describe('npm packages', () => {
  // WordPress is installed from packages of the operating system.
  const realServers = readdirSync(path.join(root, 'packages/acceptance/real-servers')).filter((name) =>
    existsSync(path.join(root, 'packages/acceptance/real-servers', name, 'package.json')),
  );
  const lockfiles = [
    'pnpm-lock.yaml',
    'packages/acceptance/conformance/pnpm-lock.yaml',
    ...realServers.map((name) => `packages/acceptance/real-servers/${name}/pnpm-lock.yaml`),
  ];

  test.each(lockfiles)('%s: every package is from the registry, in its locked version', (file) => {
    const resolutions = [...text(file).matchAll(/^ {4}resolution: (.*)$/gm)].map(
      ([, resolution]) => resolution,
    );
    expect(resolutions.length).toBeGreaterThan(100);
    expect(resolutions.filter((one) => !/^\{integrity: sha512-[\w+/=]+\}$/.test(one))).toEqual([]);
  });

  test('runs no install script except for the packages that require one', () => {
    const settings = text('pnpm-workspace.yaml');
    expect(settings).toMatch(/^strictDepBuilds: true$/m);
    const [, allowed = ''] = /^allowBuilds:\n((?: {2}.*\n)+)/m.exec(settings) ?? [];
    expect([...allowed.matchAll(/^ {2}(\S+): true/gm)].map(([, name]) => name)).toEqual(['pnpm', 'node']);
  });
});
