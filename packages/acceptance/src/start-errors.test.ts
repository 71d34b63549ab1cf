import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ConfigurationError, readConfig } from '@switchboard/bootstrap';
import { freePort } from '@switchboard/persistence/testing';
import { traceDatabase } from './support/database.js';
import { startProgram, type ProgramExit } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient } from './support/rest-client.js';
import type { Env } from './support/installation.js';
import { serveWithReplicas, type SwitchboardWithReplicas } from './support/serve-switchboard.js';
import { startTcpProxy } from './support/start-tcp-proxy.js';

const EXIT_DEADLINE_MS = 30_000;
const CANARY = 'hunter2-never-print-this';

let switchboard: SwitchboardWithReplicas;
beforeAll(async () => {
  switchboard = await serveWithReplicas({ name: 'start_errors', env: { SWITCHBOARD_ROLES: 'http' } });
});
afterAll(() => switchboard?.stop());

/** Starts a program that is expected to exit; returns its output and its exit code. */
async function startMisconfigured(
  file: string,
  env: Env,
): Promise<ProgramExit & { stdout: string; stderr: string }> {
  const program = startProgram(file, env);
  const late = setTimeout(() => program.kill('SIGKILL'), EXIT_DEADLINE_MS);
  const ended = await program.exited;
  clearTimeout(late);
  return { ...ended, stdout: program.stdout(), stderr: program.stderr() };
}

/** The environment of another process of this installation, with separate ports and one error. */
async function createEnv(wrong: Readonly<Record<string, string>>): Promise<Env> {
  const [port, mcpPort, sandboxPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const ports = { PORT: port, MCP_PORT: mcpPort, SWITCHBOARD_SANDBOX_PORT: sandboxPort };
  const own = Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)]));
  return { ...switchboard.env, ...own, SWITCHBOARD_API_KEY: switchboard.keys.agent, ...wrong };
}

async function expectExitWithError(
  file: string,
  wrong: Readonly<Record<string, string>>,
  reason: RegExp,
): Promise<void> {
  const before = await traceDatabase(switchboard.databaseUrl);
  const ended = await startMisconfigured(file, await createEnv(wrong));
  expect([ended.code, ended.signal]).toEqual([1, null]);
  const lines = ended.stderr.trim().split('\n');
  expect(lines).toEqual([expect.stringMatching(reason)]);
  expect(ended.stdout + ended.stderr).not.toContain(CANARY);
  // stdout carries the protocol over stdio, also when startup fails.
  if (file === programs.mcpStdio) expect(ended.stdout).toBe('');
  expect(await traceDatabase(switchboard.databaseUrl)).toEqual(before);
}

const shortKey = `m1:${Buffer.alloc(31, 7).toString('base64')}`;

test.each([
  ['PORT', { PORT: 'abc' }],
  ['SWITCHBOARD_MASTER_KEYS', { SWITCHBOARD_MASTER_KEYS: CANARY }],
  ['SWITCHBOARD_MASTER_KEYS', { SWITCHBOARD_MASTER_KEYS: shortKey }],
  ['SWITCHBOARD_TLS_CERT', { SWITCHBOARD_TLS_CERT: '/nowhere/cert', SWITCHBOARD_TLS_KEY: '/nowhere/key' }],
  ['HOST', { HOST: '203.0.113.7' }],
])('exits with one line that names %s: %j', async (name, wrong) => {
  await expectExitWithError(programs.rest, wrong, new RegExp(`\\b${name}\\b`));
});

test.each([
  ['PORT', { PORT: '70000' }],
  ['LOG_LEVEL', { LOG_LEVEL: 'chatty' }],
  ['NODE_DEBUG', { NODE_DEBUG: 'http' }],
  ['NODE_ENV', { NODE_ENV: 'staging' }],
  ['DATABASE_URL', { DATABASE_URL: `mysql://root:${CANARY}@localhost/x` }],
  ['DATABASE_URL', { DATABASE_URL: `postgresql://root:${CANARY}@one,two/x` }],
  ['SWITCHBOARD_PUBLIC_URL', { SWITCHBOARD_PUBLIC_URL: 'example.com' }],
  ['SWITCHBOARD_ROLES', { SWITCHBOARD_ROLES: 'http,janitor' }],
  ['SWITCHBOARD_SANDBOX', { SWITCHBOARD_SANDBOX: 'perhaps' }],
  ['SWITCHBOARD_TLS_KEY', { SWITCHBOARD_TLS_CERT: '/nowhere/cert.pem' }],
  ...[
    ...['*', 'null', 'app.example.com', 'https://app.example.com/', 'https://app.example.com/page'],
    ...[
      'https://App.example.com',
      'https://app.example.com:443',
      'ftp://app.example.com',
      'https://*.example.com',
    ],
    ...['https://user@app.example.com', 'https://app.example.com, *'],
  ].flatMap((origins): [string, Env][] => [
    ['SWITCHBOARD_CORS_ORIGINS', { SWITCHBOARD_CORS_ORIGINS: origins }],
    ['SWITCHBOARD_MCP_ALLOWED_ORIGINS', { SWITCHBOARD_MCP_ALLOWED_ORIGINS: origins }],
  ]),
  ['SWITCHBOARD_METRICS_TOKEN', { SWITCHBOARD_METRICS_TOKEN: 'short' }],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  ['OTEL_EXPORTER_OTLP_HEADERS', { OTEL_EXPORTER_OTLP_HEADERS: CANARY }],
  ['OTEL_EXPORTER_OTLP_HEADERS', { OTEL_EXPORTER_OTLP_HEADERS: `a=${CANARY}%` }],
  ['OTEL_TRACES_EXPORTER', { OTEL_TRACES_EXPORTER: 'zipkin' }],
  ['OTEL_TRACES_SAMPLER', { OTEL_TRACES_SAMPLER: 'sometimes' }],
  ['OTEL_TRACES_SAMPLER_ARG', { OTEL_TRACES_SAMPLER_ARG: '2' }],
  ['SWITCHBOARD_MEDIA_S3_BUCKET', { SWITCHBOARD_MEDIA_S3_ENDPOINT: 'https://s3.example' }],
  [
    'SWITCHBOARD_MEDIA_S3_ENDPOINT',
    { SWITCHBOARD_MEDIA_S3_BUCKET: 'a', SWITCHBOARD_MEDIA_S3_ENDPOINT: 's3' },
  ],
  [
    'SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY',
    { SWITCHBOARD_MEDIA_S3_BUCKET: 'a', SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID: CANARY },
  ],
  ['SWITCHBOARD_MEDIA_S3_PREFIX', { SWITCHBOARD_MEDIA_S3_BUCKET: 'a', SWITCHBOARD_MEDIA_S3_PREFIX: 'a b' }],
  ['SWITCHBOARD_MASTER_KEYS', { NODE_ENV: 'production', SWITCHBOARD_MASTER_KEYS: '' }],
  ['SWITCHBOARD_PUBLIC_URL', { NODE_ENV: 'production' }],
  ['DATABASE_URL', { SWITCHBOARD_ALLOW_DEV: '0' }],
  ['HOST', { SWITCHBOARD_ALLOW_DEV: '0', HOST: '0.0.0.0' }],
])('rejects a configuration in one line that names %s: %j', (name, wrong) => {
  const said = (() => {
    try {
      readConfig({ ...switchboard.env, ...wrong });
      return 'nothing';
    } catch (error) {
      return error instanceof ConfigurationError ? error.message : String(error);
    }
  })();
  expect(said).toMatch(new RegExp(`\\b${name}\\b`));
  expect(said).not.toMatch(new RegExp(`\n|Error:|${CANARY}`));
});

describe.each([
  ['REST', programs.rest, /^/],
  ['MCP over HTTP', programs.mcpHttp, /^switchboard-mcp: /],
  ['MCP over stdio', programs.mcpStdio, /^switchboard-mcp: /],
])('%s', (_name, file, opening) => {
  const line = (reason: string) => new RegExp(`${opening.source}.*${reason}`);

  test('does not start with a different master key than the database was sealed with, and changes nothing', async () => {
    const other = randomBytes(32).toString('base64');
    await expectExitWithError(file, { SWITCHBOARD_MASTER_KEYS: `m1:${other}` }, line('master key'));
  });

  test('does not start without its database, and does not print the password', async () => {
    const nowhere = `postgresql://switchboard:${CANARY}@127.0.0.1:${await freePort()}/switchboard`;
    await expectExitWithError(
      file,
      { DATABASE_URL: nowhere },
      line('database cannot be reached.*DATABASE_URL'),
    );
  });
});

test('does not start on a database that accepts no connections', async () => {
  const wrongLogin = Object.assign(new URL(switchboard.databaseUrl), {
    username: 'unknown',
    password: CANARY,
  });
  await expectExitWithError(programs.rest, { DATABASE_URL: wrongLogin.href }, /database cannot be reached/);
});

test.each([
  ['PORT', programs.rest],
  ['MCP_PORT', programs.mcpHttp],
  ['SWITCHBOARD_SANDBOX_PORT', programs.rest],
])('exits with one line when another program listens on %s', async (name, file) => {
  const taken = createServer().listen(await freePort(), '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  try {
    await expectExitWithError(
      file,
      { [name]: String(port) },
      new RegExp(`${port}.*${name}|${name}.*${port}`),
    );
  } finally {
    taken.close();
  }
});

test('reports that the database is unavailable, and recovers when it is back', async () => {
  const real = new URL(switchboard.databaseUrl);
  const proxy = await startTcpProxy({ host: real.hostname, port: Number(real.port) });
  try {
    const through = Object.assign(new URL(real), { hostname: '127.0.0.1', port: String(proxy.port) });
    const { url, server: program } = await switchboard.startReplica({ DATABASE_URL: through.href });
    const client = restClient(url, switchboard.keys.full);
    expect((await client.get('/me')).status).toBe(200);

    proxy.cut();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const answer = await client.post('/profiles', { name: 'Half-written' }, { 'Idempotency-Key': 'away' });
      expect(answer).toMatchObject({
        status: 503,
        json: { code: 'service.unavailable', retryable: true, effect: 'none', who_can_fix: 'operator' },
      });
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(answer.text).not.toMatch(/prisma|postgres|ECONN|SELECT|at \w+ \(/i);
    }
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    proxy.repair();
    const back = await client.post('/profiles', { name: 'Whole' }, { 'Idempotency-Key': 'away-and-back' });
    expect(back.status).toBe(201);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const { data } = await client.expect(200, 'GET', '/profiles');
    expect(JSON.stringify(data)).not.toContain('Half-written');
    expect(await program.stop()).toEqual({ code: 0, signal: null });
  } finally {
    await proxy.close();
  }
});
