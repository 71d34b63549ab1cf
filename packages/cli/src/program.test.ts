import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort, testDatabase } from '@switchboard/persistence/testing';
import { execFile } from 'node:child_process';
import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createInstallation, type Installation } from './testing/installation.js';

let installation: Installation;
beforeAll(async () => {
  installation = await createInstallation({
    DATABASE_URL: await testDatabase('cli_program'),
    PORT: String(await freePort()),
    MCP_PORT: String(await freePort()),
  });
});
afterAll(() => installation.remove());

const oneLine = expect.stringMatching(/^switchboard: [^\n]+\n$/);

test('the program itself prints and exits as its commands do: a result, a usage error, a failure, help', async () => {
  const start = async (...args: readonly string[]) => installation.startCommand(args).exited;
  const listed = await start('workspaces', 'list', '--json');
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed).toEqual(await installation.run('workspaces', 'list', '--json'));
  expect(await start('keys', 'list', '--everything')).toEqual({ code: 2, stdout: '', stderr: oneLine });
  expect(await start('keys', 'revoke', 'nonsense')).toEqual({ code: 1, stdout: '', stderr: oneLine });
  const invalid = installation.startCommand(['keys', 'list'], { PORT: 'x' });
  expect(await invalid.exited).toEqual({ code: 1, stdout: '', stderr: oneLine });
  expect(await start('--help')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^ +doctor /m),
    stderr: '',
  });
});

test.each([
  ['PORT', { PORT: 'x' }],
  ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ['SWITCHBOARD_ROLES', { SWITCHBOARD_ROLES: 'http,janitor' }],
  ['DATABASE_URL', { DATABASE_URL: 'mysql://127.0.0.1/x' }],
  ['SWITCHBOARD_MASTER_KEYS', { SWITCHBOARD_MASTER_KEYS: 'm1:dG9vIHNob3J0' }],
  ['HOST', { HOST: '0.0.0.0', SWITCHBOARD_ALLOW_DEV: '' }],
])('names the variable %s when it is invalid, in one line', async (name, env) => {
  const { code, stdout, stderr } = await installation.runWith(env, 'keys', 'list');
  expect([code, stdout, stderr]).toEqual([1, '', oneLine]);
  expect(stderr).toContain(name);
});

test('reports in one line that the database does not respond, without its password', async () => {
  const away = { DATABASE_URL: 'postgresql://someone:hunter2@127.0.0.1:1/none' };
  for (const command of [['keys', 'list'], ['migrate'], ['worker']]) {
    const { code, stdout, stderr } = await installation.runWith(away, ...command);
    expect([code, stdout, stderr]).toEqual([1, '', oneLine]);
    expect(stderr).toMatch(/ECONNREFUSED.*DATABASE_URL/);
    expect(stderr).not.toContain('hunter2');
  }
});

test('an invalid command is one line and exit code 2; help is not an error', async () => {
  for (const args of [['dance'], ['keys', 'create'], ['keys', 'list', '--everything'], ['keys', 'revoke']]) {
    expect(await installation.run(...args)).toEqual({ code: 2, stdout: '', stderr: oneLine });
  }
  const help = await installation.run('--help');
  expect([help.code, help.stderr]).toEqual([0, '']);
  expect(help.stdout).toMatch(/^ +doctor /m);
});

test('prints only its result unless logging is enabled', async () => {
  const quiet = await installation.run('workspaces', 'list', '--json');
  expect(quiet).toMatchObject({ code: 0, stderr: '' });
  expect(Object.keys(JSON.parse(quiet.stdout) as object)).toEqual(['data']);
});

test('prints new master keys that decrypt a vault', async () => {
  const { code, stdout } = await installation.run('vault', 'generate-key');
  expect(code).toBe(0);
  const [id = '', key = ''] = stdout.trim().split(':');
  expect(id).toMatch(/^[\w-]+$/);
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  const { master_key: other } = await installation.json<{ master_key: string }>('vault', 'generate-key');
  expect(other).not.toBe(stdout.trim());
  const env = { DATABASE_URL: await testDatabase('cli_generated'), SWITCHBOARD_MASTER_KEYS: other };
  expect(await installation.runWith(env, 'workspaces', 'list')).toMatchObject({ code: 0 });
  const wrong = await installation.runWith(
    { ...env, SWITCHBOARD_MASTER_KEYS: stdout.trim() },
    'workspaces',
    'list',
  );
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('does not open this database')]);
});

interface Stdio {
  readonly type?: string;
  readonly command: string;
  readonly args: readonly [string];
  readonly env: Readonly<Record<string, string>>;
}

const AGENT_KEY = 'swb_of-this-directory';
const withAgentKey = () =>
  writeFile(path.join(installation.dataDir, 'agent-key'), `${AGENT_KEY}\n`, { mode: 0o600 });

test.each([
  ['claude-desktop', 'mcpServers', undefined],
  ['claude-code', 'mcpServers', 'stdio'],
  ['cursor', 'mcpServers', undefined],
  ['vscode', 'servers', 'stdio'],
])(
  'prints for %s the configuration that starts this installation, with the agent key file and without a key (finding 13)',
  async (client, field, type) => {
    await withAgentKey();
    const config = await installation.json<Record<string, { switchboard: Stdio }>>('mcp', 'config', client);
    expect(Object.keys(config)).toEqual([field]);
    const { switchboard } = config[field] ?? {};
    const { command, args, env } = switchboard ?? { command: '', args: [''], env: {} };
    expect(switchboard?.type).toBe(type);
    const { stdout } = await promisify(execFile)(command, ['--version']);
    expect(stdout).toMatch(/^v24\./);
    expect(path.isAbsolute(command) && path.isAbsolute(args[0])).toBe(true);
    await access(args[0]);
    expect(path.basename(args[0])).toBe('switchboard-mcp.mjs');
    expect(env).toEqual({
      SWITCHBOARD_API_KEY_FILE: path.join(installation.dataDir, 'agent-key'),
      SWITCHBOARD_DATA_DIR: installation.dataDir,
      SWITCHBOARD_PUBLIC_URL: `http://127.0.0.1:${installation.env['PORT']}`,
      SWITCHBOARD_ALLOW_DEV: '1',
      // It may contain a password.
      DATABASE_URL: '<DATABASE_URL of this installation>',
    });
  },
);

test.each([
  ['claude-code', 'mcpServers', { type: 'http' }],
  ['cursor', 'mcpServers', {}],
  ['vscode', 'servers', { type: 'http' }],
])(
  'prints for %s the address of the running server, with a placeholder for a key',
  async (client, field, type) => {
    await withAgentKey();
    expect(await installation.json('mcp', 'config', client, '--http')).toEqual({
      [field]: {
        switchboard: {
          ...type,
          url: `http://127.0.0.1:${installation.env['MCP_PORT']}/mcp`,
          headers: { Authorization: 'Bearer <your key>' },
        },
      },
    });
  },
);

test('a client that supports stdio only gets no address', async () => {
  const refused = await installation.run('mcp', 'config', 'claude-desktop', '--http');
  expect(refused).toEqual({ code: 2, stdout: '', stderr: oneLine });
  expect(refused.stderr).toContain('--http');
});

test('prints a placeholder when there is no key, says how to create one, and rejects an unknown client', async () => {
  const elsewhere = path.join(installation.dataDir, 'empty');
  const { stdout, stderr } = await installation.runWith(
    { SWITCHBOARD_DATA_DIR: elsewhere },
    'mcp',
    'config',
    '--json',
  );
  expect(JSON.parse(stdout)).toMatchObject({
    mcpServers: { switchboard: { env: { SWITCHBOARD_API_KEY: '<your key>' } } },
  });
  expect(stderr).toContain('keys create --name agent --preset agent');
  expect(await installation.run('mcp', 'config', 'notepad')).toEqual({
    code: 2,
    stdout: '',
    stderr: oneLine,
  });
});

test('in production it prints neither a secret of the installation nor a key of another one, and names the values to insert', async () => {
  await withAgentKey();
  const secrets = {
    DATABASE_URL: 'postgresql://someone:hunter2@db.example.com/switchboard',
    SWITCHBOARD_MASTER_KEYS: `m1:${Buffer.alloc(32, 7).toString('base64')}`,
    SWITCHBOARD_SHOPIFY_CLIENT_SECRET: 'hunter3',
    SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY: 'hunter4',
  };
  const env = {
    NODE_ENV: 'production',
    SWITCHBOARD_PUBLIC_URL: 'https://switchboard.example.com',
    SWITCHBOARD_MCP_PUBLIC_URL: 'https://mcp.example.com',
    SWITCHBOARD_SHOPIFY_CLIENT_ID: 'shop-app',
    SWITCHBOARD_MEDIA_S3_BUCKET: 'media',
    SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID: 'reader',
    SOMETHING_ELSE: 'of the machine',
    ...secrets,
  };
  const { stdout, stderr } = await installation.runWith(env, 'mcp', 'config', 'cursor');
  for (const secret of [...Object.values(secrets), AGENT_KEY]) expect(stdout + stderr).not.toContain(secret);
  expect(JSON.parse(stdout)).toMatchObject({
    mcpServers: {
      switchboard: {
        env: {
          NODE_ENV: 'production',
          SWITCHBOARD_API_KEY: '<your key>',
          SWITCHBOARD_SHOPIFY_CLIENT_ID: 'shop-app',
          SWITCHBOARD_PUBLIC_URL: 'https://switchboard.example.com',
        },
      },
    },
  });
  expect(stdout).not.toContain('of the machine');
  for (const name of ['--refund-limit', ...Object.keys(secrets)]) expect(stderr).toContain(name);

  const overHttp = await installation.runWith(env, 'mcp', 'config', 'cursor', '--http');
  expect(JSON.parse(overHttp.stdout)).toEqual({
    mcpServers: {
      switchboard: {
        url: 'https://mcp.example.com/mcp',
        headers: { Authorization: 'Bearer <your key>' },
      },
    },
  });
  expect(overHttp.stderr).not.toContain('DATABASE_URL');
});

test('reports what is known about an external database, and stops nothing', async () => {
  expect(await installation.json('status')).toEqual({
    version: expect.stringMatching(/^\d/),
    node_version: process.versions.node,
    data_dir: installation.dataDir,
    database: { kind: 'external', host: new URL(installation.env['DATABASE_URL'] ?? '').host },
    pause: null,
    rest: {
      url: `http://127.0.0.1:${installation.env['PORT']}`,
      alive: false,
      ready: false,
      checks: null,
      used_by_other: false,
    },
    mcp: {
      url: `http://127.0.0.1:${installation.env['MCP_PORT']}`,
      alive: false,
      ready: false,
      checks: null,
      used_by_other: false,
    },
  });
  expect(await installation.json('stop')).toEqual({ stopped: false });
});

test('a worker runs until it receives a signal', async () => {
  const worker = installation.startCommand(['worker', '--json'], { LOG_LEVEL: 'silent' });
  await worker.waitForOutput(/The worker is ready/);
  worker.kill('SIGTERM');
  const { code, stdout } = await worker.exited;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ stopped_by: 'SIGTERM' });
});
