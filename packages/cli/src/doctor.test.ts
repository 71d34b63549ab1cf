import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort, testDatabase } from '@switchboard/persistence/testing';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { createInstallation, type Installation } from './testing/installation.js';

let installation: Installation;
let port: number;
beforeAll(async () => {
  port = await freePort();
  installation = await createInstallation({
    DATABASE_URL: await testDatabase('cli_doctor'),
    PORT: String(port),
    MCP_PORT: String(await freePort()),
    SWITCHBOARD_SANDBOX_PORT: String(await freePort()),
  });
});
afterAll(() => installation.remove());

interface Report {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly detail: string;
    readonly advice: string | null;
  }[];
}

async function examine(...args: readonly string[]) {
  const { code, stdout, stderr } = await installation.run('doctor', '--json', ...args);
  expect(stderr).toBe('');
  const report = JSON.parse(stdout) as Report;
  expect(code).toBe(report.ok ? 0 : 1);
  return { report, problems: report.checks.filter(({ ok }) => !ok) };
}

test('finds no problem before the first start, and creates nothing', async () => {
  const { report, problems } = await examine();
  expect(problems).toEqual([]);
  expect(report.checks).toContainEqual({
    name: 'vault',
    ok: true,
    detail: 'no encrypted data in this database yet',
    advice: null,
  });
  await expect(readFile(path.join(installation.dataDir, 'master-key'))).rejects.toThrow('ENOENT');
  await expect(readFile(path.join(installation.dataDir, 'api-key'))).rejects.toThrow('ENOENT');
});

test('logs in to the mail server, where one is configured', async () => {
  const url = 'smtp://ada:secret-of-mail@127.0.0.1:1';
  const { code, stdout } = await installation.runWith({ SWITCHBOARD_SMTP_URL: url }, 'doctor');
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^PROBLEM {2}e-mail +127\.0\.0\.1:1: .*ECONNREFUSED.* → Check SWITCHBOARD_SMTP_URL/m,
  );
  expect(stdout).not.toContain('secret-of-mail');
});

test('checks everything that a start needs, and prints one line per check', async () => {
  await installation.run('keys', 'list');
  const { report, problems } = await examine();
  expect(problems).toEqual([]);
  const platforms = await installation.json<{ readonly data: readonly { readonly id: string }[] }>(
    'platforms',
    'list',
  );
  expect(report.checks.map(({ name }) => name)).toEqual([
    ...['Node.js', 'configuration', 'data directory', 'master-key', 'api-key', 'agent-key'],
    ...['database', 'migrations', 'vault', 'clock', 'REST', 'MCP', 'sandbox', 'sign-in'],
    ...platforms.data.map(({ id }) => id),
  ]);
  const { code, stdout } = await installation.run('doctor');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok {7}vault +the master key matches this database$/m);
});

test('finds a master key that others can read, and says how to fix it', async () => {
  const file = path.join(installation.dataDir, 'master-key');
  await chmod(file, 0o644);
  const { problems } = await examine();
  expect(problems).toContainEqual({
    name: 'master-key',
    ok: false,
    detail: `${file} can be read or changed by others`,
    advice: `chmod 600 ${file}`,
  });
  const { code, stdout } = await installation.run('doctor');
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^PROBLEM {2}master-key .* → chmod 600 /m)]);
  await chmod(file, 0o600);
  expect((await examine()).problems).toEqual([]);
});

test('finds an API key that others can read', async () => {
  const file = path.join(installation.dataDir, 'agent-key');
  await chmod(file, 0o640);
  expect((await examine()).problems).toEqual([
    expect.objectContaining({ name: 'agent-key', advice: `chmod 600 ${file}` }),
  ]);
  await chmod(file, 0o600);
});

test('finds a data directory that others can change', async () => {
  await chmod(installation.dataDir, 0o777);
  expect((await examine()).problems).toEqual([
    expect.objectContaining({ name: 'data directory', advice: `chmod go-w ${installation.dataDir}` }),
  ]);
  await chmod(installation.dataDir, 0o755);
});

test('finds a master key of another database, and a missing one', async () => {
  const file = path.join(installation.dataDir, 'master-key');
  const right = await readFile(file, 'utf8');
  await writeFile(file, `other:${Buffer.alloc(32, 7).toString('base64')}\n`);
  const wrong = (await examine()).problems;
  expect(wrong).toEqual([
    expect.objectContaining({
      name: 'vault',
      detail: expect.stringContaining('does not open this database'),
    }),
  ]);
  await rm(file);
  expect((await examine()).problems).toEqual([
    expect.objectContaining({ name: 'vault', detail: expect.stringContaining('is missing') }),
  ]);
  await writeFile(file, right, { mode: 0o600 });
});

test('warns of a variable that has no effect, with the closest known name', async () => {
  const { code, stdout } = await installation.runWith({ SWITCHBOARD_SANDBOX_PROT: '3009' }, 'doctor');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^WARNING\s+configuration .*SWITCHBOARD_SANDBOX_PROT.*mean SWITCHBOARD_SANDBOX_PORT/m,
  );
});

test('finds a port that another program uses', async () => {
  const other = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  const { problems } = await examine();
  await new Promise((resolve) => other.close(resolve));
  expect(problems).toEqual([
    expect.objectContaining({
      name: 'REST',
      detail: `port ${port} is used by another installation or program`,
    }),
  ]);
});

describe('the addresses at which MCP clients sign in', () => {
  const examineWith = async (env: Record<string, string>) => {
    const { code, stdout } = await installation.runWith(env, 'doctor', '--json');
    const { checks } = JSON.parse(stdout) as Report;
    return { code, checks: checks.filter(({ name }) => name === 'sign-in') };
  };

  test('may be on this machine only', async () => {
    expect(await examineWith({})).toEqual({
      code: 0,
      checks: [expect.objectContaining({ detail: 'for MCP clients on this machine only', advice: null })],
    });
  });

  test('are reported where a client would refuse them, or cannot reach them', async () => {
    const { code, checks } = await examineWith({
      SWITCHBOARD_PUBLIC_URL: 'https://switchboard.invalid',
      SWITCHBOARD_MCP_PUBLIC_URL: 'http://mcp.invalid',
    });
    expect(code).toBe(0);
    expect(checks).toMatchObject([
      {
        detail: 'SWITCHBOARD_MCP_PUBLIC_URL is http://mcp.invalid',
        advice: expect.stringContaining('public https addresses'),
      },
      {
        detail: expect.stringMatching(
          /^https:\/\/switchboard\.invalid\/\.well-known\/oauth-authorization-server does not respond/,
        ),
      },
      { detail: expect.stringContaining('http://mcp.invalid/.well-known/oauth-protected-resource/mcp does') },
    ]);
  });

  test('are a problem where another program responds', async () => {
    const other = createHttpServer((_request, response) =>
      response.end('{"issuer": "https://other.example"}'),
    );
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, checks } = await examineWith({ SWITCHBOARD_PUBLIC_URL: url });
    await new Promise((resolve) => other.close(resolve));
    expect(code).toBe(1);
    expect(checks.filter(({ ok }) => !ok)).toMatchObject([
      {
        detail: `${url}/.well-known/oauth-authorization-server (200) does not state issuer "${url}"`,
        advice: expect.stringContaining('leads to REST'),
      },
    ]);
  });
});

test('finds a database that does not respond, and an invalid variable, and completes', async () => {
  const away = await installation.runWith(
    { DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1:1/none' },
    'doctor',
  );
  expect([away.code, away.stderr]).toEqual([1, '']);
  expect(away.stdout).toMatch(/^PROBLEM {2}database .*ECONNREFUSED.* → Check DATABASE_URL/m);
  expect(away.stdout).toMatch(/^ok {7}REST /m);
  expect(away.stdout).not.toContain('hunter2');
  const wrong = await installation.runWith({ PORT: 'three thousand' }, 'doctor');
  expect([wrong.code, wrong.stdout]).toEqual([
    1,
    expect.stringMatching(/^PROBLEM {2}configuration +PORT is invalid/m),
  ]);
});

test('lists the known platforms for an unknown one', async () => {
  expect((await examine('--platform', 'bluesky')).problems).toEqual([]);
  expect((await examine('--platform', 'friendster')).problems).toEqual([
    expect.objectContaining({ name: 'friendster', advice: expect.stringContaining('bluesky') }),
  ]);
});
