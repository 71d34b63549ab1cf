// Packs the packages that an external platform needs, and uses them in a folder outside of the repository: follows
// docs/adding-an-external-platform.md for each template, and builds and tests the adapters in `examples`, each with its
// contract and a journey through Switchboard. Needs the registry, so it is not part of `pnpm test`.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import { performance } from 'node:perf_hooks';
import path from 'node:path';
import { runSuite } from './acceptance-suite.mjs';

const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'switchboard-external-'));
const tarballs = path.join(folder, 'tarballs');
mkdirSync(tarballs);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

function run(command, args, cwd) {
  const startedMs = performance.now();
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) {
    console.error(`${command} ${args.join(' ')} exited with ${status}`);
    process.exit(1);
  }
  return Math.round((performance.now() - startedMs) / 1000);
}

const sourcesOf = (place) =>
  readdirSync(path.join(place, 'src')).map((file) => readFileSync(path.join(place, 'src', file), 'utf8'));
const install = (place) => run('npm', ['install', '--no-audit', '--no-fund'], place);
const report = (name, place, installed, tested) => {
  const sources = sourcesOf(place);
  const lines = sources.reduce((sum, text) => sum + text.trimEnd().split('\n').length, 0);
  console.log(
    `${name}: ${sources.length} files, ${lines} lines, ${installed} s install, ${tested} s first test`,
  );
};

const packages = ['domain', 'platform-kit', 'egress', 'oauth', 'simulators', 'fault-injection'];
for (const name of [...packages, 'create-switchboard-platform'])
  run('pnpm', ['pack', '--pack-destination', tarballs], path.join(root, 'packages', name));
const packed = readdirSync(tarballs);
const tarballOf = (name) =>
  path.join(
    tarballs,
    packed.find((file) => file.replace(/-\d.*$/, '') === name.replace(/^@/, '').replace('/', '-')) ?? '',
  );

const variants = [
  ['fern', []],
  ['moss', ['--minimal']],
  ['barn', ['--store']],
];
for (const [name, flags] of variants) {
  const place = path.join(folder, name);
  const given = [place, name, name, `https://api.${name}.social`, ...flags, '--kit', tarballs];
  const creator = `--package=${tarballOf('create-switchboard-platform')}`;
  run('npm', ['exec', '--yes', creator, '--', 'create-switchboard-platform', ...given], folder);
  const installed = install(place);
  report(`${name} ${flags.join(' ')}`, place, installed, run('npm', ['test'], place));
}

/** The tarball in place of each package of Switchboard. */
function usePacked(file) {
  const description = JSON.parse(readFileSync(file, 'utf8'));
  for (const kind of ['dependencies', 'devDependencies']) {
    for (const name of Object.keys(description[kind]))
      if (name.startsWith('@switchboard/')) description[kind][name] = `file:${tarballOf(name)}`;
  }
  writeFileSync(file, JSON.stringify(description));
}

const examples = path.join(folder, 'examples');
const names = readdirSync(path.join(root, 'examples')).filter(
  (name) => name !== 'node_modules' && statSync(path.join(root, 'examples', name)).isDirectory(),
);
for (const name of names) {
  const place = path.join(examples, name);
  cpSync(path.join(root, 'examples', name), place, {
    recursive: true,
    filter: (file) => !/[\\/](node_modules|dist)$/.test(file),
  });
  usePacked(path.join(place, 'package.json'));
  const installed = install(place);
  report(name, place, installed, run('npm', ['test'], place));
}

process.env['SWITCHBOARD_EXAMPLES'] = examples;
await runSuite('jest.external.config.mjs');
