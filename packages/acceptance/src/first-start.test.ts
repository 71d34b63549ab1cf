import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startService } from '@switchboard/bootstrap';
import { createWorkspace } from '@switchboard/domain/workspaces';
import { freePort, testDatabase } from '@switchboard/persistence/testing';
import { discardLog } from './support/discard-log.js';
import { queryRows } from './support/database.js';
import { asObject } from './support/json.js';
import { startProgram, type Program } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient } from './support/rest-client.js';

let dataDir: string;
let startedPrograms: Program[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'switchboard-first-'));
  startedPrograms = [];
});
afterEach(async () => {
  await Promise.all(startedPrograms.map((program) => program.stop()));
  await rm(dataDir, { recursive: true, force: true });
});

const start = (file: string, env: Readonly<Record<string, string>>) => {
  const program = startProgram(file, env);
  startedPrograms.push(program);
  return program;
};

test('processes that start concurrently on an empty database create one workspace, one profile and two keys', async () => {
  const databaseUrl = await testDatabase('first_start');
  const env = {
    NODE_ENV: 'development',
    SWITCHBOARD_ALLOW_DEV: '1',
    DATABASE_URL: databaseUrl,
    SWITCHBOARD_DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    SWITCHBOARD_MASTER_KEYS: `m1:${randomBytes(32).toString('base64')}`,
  };
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const rest = start(programs.rest, {
    ...env,
    PORT: String(port),
    SWITCHBOARD_SANDBOX_PORT: String(sandboxPort),
  });
  const others = await Promise.all(
    Array.from({ length: 3 }, async () =>
      start(programs.mcpHttp, { ...env, MCP_PORT: String(await freePort()) }),
    ),
  );
  await Promise.all([
    rest.waitForOutput(/REST is ready/),
    ...others.map((other) => other.waitForOutput(/MCP is ready/)),
  ]);

  // Finding 13: the output names the file of the agent key and contains no key.
  await rest.waitForOutput(/SWITCHBOARD_API_KEY_FILE/);
  expect(rest.output()).toContain(join(dataDir, 'agent-key'));
  expect(rest.output()).not.toMatch(/swb_/);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);

  const counts = await queryRows(
    databaseUrl,
    `SELECT (SELECT count(*)::int FROM workspaces) AS workspaces, (SELECT count(*)::int FROM profiles) AS profiles,
            (SELECT count(*)::int FROM api_keys) AS keys`,
  );
  expect(counts).toEqual([{ workspaces: 1, profiles: 1, keys: 2 }]);
  for (const [file, name] of [
    ['api-key', 'full'],
    ['agent-key', 'agent'],
  ] as const) {
    const path = join(dataDir, file);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const key = (await readFile(path, 'utf8')).trim();
    const me = await restClient(`http://127.0.0.1:${port}`, key).expect(200, 'GET', '/me');
    expect(asObject(me['key'])['name']).toBe(name);
  }
});

test('a name requested concurrently is assigned once, and the other requests receive a conflict', async () => {
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: await testDatabase('first_start_names'),
    SWITCHBOARD_DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
  };
  const service = await startService({ app: 'cli', logTo: discardLog, env });
  try {
    const createdKeys = await Promise.all(
      Array.from({ length: 8 }, () => createWorkspace(service.ports, { name: 'wanted' })),
    );
    expect(createdKeys.filter(({ ok }) => ok)).toHaveLength(1);
    for (const one of createdKeys) {
      if (!one.ok) expect(one.failure.code).toBe('workspace.name_taken');
    }
  } finally {
    await service.close();
  }
});

test('in production nothing is created automatically', async () => {
  const databaseUrl = await testDatabase('first_start_production');
  const port = await freePort();
  const rest = start(programs.rest, {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    SWITCHBOARD_DATA_DIR: dataDir,
    SWITCHBOARD_MASTER_KEYS: `m1:${randomBytes(32).toString('base64')}`,
    SWITCHBOARD_PUBLIC_URL: 'https://switchboard.example.com',
    PORT: String(port),
  });
  await rest.waitForOutput(/ready/);
  for (const table of ['workspaces', 'profiles', 'api_keys', 'connect_sessions']) {
    expect(await queryRows(databaseUrl, `SELECT id FROM ${table}`)).toEqual([]);
  }
  const answer = await restClient(`http://127.0.0.1:${port}`, null).get('/platforms');
  expect(answer.status).toBe(401);
  expect(rest.output()).not.toMatch(/swb_/);
});

test('an interrupted first start is completed by the next start, and a completed one is left unchanged', async () => {
  const databaseUrl = await testDatabase('first_start_cut_off');
  const masterKeys = `m1:${randomBytes(32).toString('base64')}`;
  const env = { DATABASE_URL: databaseUrl, SWITCHBOARD_DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
  const open = (mode: Readonly<Record<string, string>>) =>
    startService({
      app: 'cli',
      logTo: discardLog,
      env: { ...env, SWITCHBOARD_MASTER_KEYS: masterKeys, ...mode },
    });
  const keys = async () => {
    const rows = await queryRows(databaseUrl, 'SELECT name, public_id FROM api_keys ORDER BY name');
    return rows.map((row) => Object.values(row).join(' '));
  };

  // The state after a kill right after the workspace was created: production creates no keys.
  const production = { NODE_ENV: 'production', SWITCHBOARD_PUBLIC_URL: 'https://switchboard.example.com' };
  const truncated = await open(production);
  await createWorkspace(truncated.ports, { name: 'default' });
  await truncated.close();
  expect(await keys()).toEqual([]);

  await (await open({ NODE_ENV: 'test' })).close();
  const createdKeys = await keys();
  const publicIdIn = async (file: string) => (await readFile(join(dataDir, file), 'utf8')).slice(4, 16);
  expect(createdKeys).toEqual([
    `agent ${await publicIdIn('agent-key')}`,
    `full ${await publicIdIn('api-key')}`,
  ]);

  await (await open({ NODE_ENV: 'test' })).close();
  expect(await keys()).toEqual(createdKeys);
});

test('finding 42: commands address their own installation, whatever ports it was started with', async () => {
  const environment = async (name: string) => ({
    NODE_ENV: 'development',
    SWITCHBOARD_ALLOW_DEV: '1',
    DATABASE_URL: await testDatabase(name),
    LOG_LEVEL: 'warn',
    SWITCHBOARD_MASTER_KEYS: `m1:${randomBytes(32).toString('base64')}`,
  });
  const [port, mcpPort, sandboxPort] = [await freePort(), await freePort(), await freePort()];
  const installation = { ...(await environment('addressed')), SWITCHBOARD_DATA_DIR: dataDir };
  const ports = {
    PORT: String(port),
    MCP_PORT: String(mcpPort),
    SWITCHBOARD_SANDBOX_PORT: String(sandboxPort),
  };
  const rest = start(programs.rest, { ...installation, ...ports, SWITCHBOARD_TIMEZONE: 'UTC' });
  const mcp = start(programs.mcpHttp, { ...installation, ...ports });
  await Promise.all([rest.waitForOutput(/REST is ready/), mcp.waitForOutput(/MCP is ready/)]);
  await rest.waitForOutput(/SWITCHBOARD_TIMEZONE has no effect/);

  const command = async (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const run = startProgram(programs.cli, env, args);
    const { code } = await run.exited;
    return { code, stdout: run.stdout(), stderr: run.stderr() };
  };
  // Nothing says where it runs.
  const status = await command(installation, 'status', '--json');
  const checks = { database: 'ok', schema: 'ok', vault: 'ok', media: 'ok' };
  const ready = { checks, alive: true, ready: true, used_by_other: false };
  expect(JSON.parse(status.stdout)).toMatchObject({
    rest: { url: `http://127.0.0.1:${port}`, ...ready },
    mcp: { url: `http://127.0.0.1:${mcpPort}`, ...ready },
  });
  const link = await command(installation, 'connect', 'sandbox_social', '--no-wait');
  expect(link).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`http://127.0.0.1:${port}/`),
    stderr: '',
  });
  const config = await command(installation, 'mcp', 'config', 'claude-code', '--http');
  expect(config.stdout).toContain(`http://127.0.0.1:${mcpPort}/mcp`);
  const report = (await command(installation, 'doctor')).stdout;
  expect(report).not.toContain('PROBLEM');
  for (const url of [
    `http://127.0.0.1:${port}/.well-known/oauth-authorization-server`,
    `http://127.0.0.1:${mcpPort}/.well-known/oauth-protected-resource/mcp`,
  ])
    expect(report).toContain(`sign-in         ${url} responds as clients expect`);

  // Another installation, whose default ports are taken by the first one.
  const folder = join(dataDir, 'other');
  const other = { ...(await environment('addressed_other')), ...ports, SWITCHBOARD_DATA_DIR: folder };
  const otherStatus = await command(other, 'status', '--json');
  expect(JSON.parse(otherStatus.stdout)).toMatchObject({
    rest: { url: `http://127.0.0.1:${port}`, alive: false, used_by_other: true },
    mcp: { alive: false, used_by_other: true },
  });
  const otherLink = await command(other, 'connect', 'sandbox_social', '--no-wait');
  expect(otherLink.stderr).toContain(`another installation responds at http://127.0.0.1:${port}`);
  expect((await command(other, 'stop')).stdout).toContain('Nothing runs');

  // `pnpm start` stops REST as soon as MCP has exited; the command waits for it all the same.
  void mcp.exited.then(() => rest.kill('SIGTERM'));
  expect(await command(installation, 'stop')).toMatchObject({ code: 0, stdout: 'Stopped MCP, REST.\n' });
  expect(await rest.exited).toMatchObject({ code: 0 });
  expect(await mcp.exited).toMatchObject({ code: 0 });
  expect(rest.output()).not.toMatch(/"level":(50|60)|Error/);
});
