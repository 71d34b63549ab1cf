import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { startService } from '@switchboard/bootstrap';
import { formatKey } from '@switchboard/domain/access';
import { openDatabase } from '@switchboard/persistence';
import { testDatabase } from '@switchboard/persistence/testing';
import { modernRequest } from '../testing/modern-request.js';

const program = path.resolve(import.meta.dirname, '../../bin/switchboard-mcp.mjs');
const timeoutMs = 30_000;

let dataDir: string;
let env: Record<string, string>;
let key: string;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'switchboard-mcp-'));
  env = {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'test',
    DATABASE_URL: await testDatabase('stdio'),
    SWITCHBOARD_DATA_DIR: dataDir,
  };
  // The first start creates the keys.
  await (
    await startService({ app: 'mcp-http', logTo: 'stderr', env: { ...env, LOG_LEVEL: 'silent' } })
  ).close();
  key = (await readFile(path.join(dataDir, 'agent-key'), 'utf8')).trim();
}, timeoutMs);
afterAll(() => rm(dataDir, { recursive: true }));

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const opening =
  line({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }) + line({ method: 'notifications/initialized' });

test('is one file and its launcher; the query compiler and the exporter of traces are read when needed', async () => {
  const bundle = path.resolve(import.meta.dirname, '../../dist/bundle');
  const written = (await readdir(bundle)).filter((name) => name.startsWith('stdio'));
  expect(written.sort()).toEqual(['stdio.cjs', 'stdio.js']);
  const program = await readFile(path.join(bundle, 'stdio.cjs'), 'latin1');
  const required = program.match(/\b(?:require|import)\(["']\.[^)]*\)/g) ?? [];
  expect(required.sort()).toEqual([
    'require("./open-tracing.cjs")',
    expect.stringMatching(/^require\("\.\/query_compiler_\S+\.cjs"\)$/),
  ]);
});

test.each([
  ['is missing', '', 'SWITCHBOARD_API_KEY is not set'],
  ['is malformed', 'swb_nonsense', 'SWITCHBOARD_API_KEY is not a valid key'],
  ['is unknown', `swb_${'0'.repeat(61)}`, 'SWITCHBOARD_API_KEY is not a valid key'],
])(
  'exits with one line on stderr, and writes nothing to stdout, when the key %s',
  async (_how, apiKey, reason) => {
    const ended = await run(opening, { SWITCHBOARD_API_KEY: apiKey, LOG_LEVEL: 'warn' });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr.trim().split('\n')).toEqual([expect.stringContaining(reason)]);
  },
  timeoutMs,
);

describe('a key in a file (finding 13)', () => {
  const inFile = async (text: string | null) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-key-'));
    const file = path.join(folder, 'key');
    if (text !== null) await writeFile(file, text, { mode: 0o600 });
    return file;
  };

  test(
    'is used',
    async () => {
      const call = line({ id: 2, method: 'tools/call', params: { name: 'whoami' } });
      const ended = await run(opening + call, { SWITCHBOARD_API_KEY_FILE: await inFile(`${key}\n`) });
      expect(messagesOf(ended.stdout)).toContainEqual(
        expect.objectContaining({ id: 2, result: expect.objectContaining({ isError: false }) }),
      );
    },
    timeoutMs,
  );

  test.each([
    ['is malformed', 'swb_nonsense', {}, /SWITCHBOARD_API_KEY_FILE: \/\S+ does not contain a valid key/],
    ['is unknown', formatKey('0'.repeat(12), '0'.repeat(43)), {}, /does not contain a valid key/],
    ['does not exist', null, {}, /SWITCHBOARD_API_KEY_FILE cannot be read: ENOENT/],
    ['is in the environment too', 'swb_nonsense', { SWITCHBOARD_API_KEY: 'swb_x' }, /are both set/],
  ])(
    'exits with one line on stderr when it %s',
    async (_how, text, more, reason) => {
      const file = await inFile(text);
      const ended = await run(opening, { SWITCHBOARD_API_KEY_FILE: file, LOG_LEVEL: 'warn', ...more });
      expect(ended.code).toBe(1);
      expect(ended.stderr.trim().split('\n')).toEqual([expect.stringMatching(reason)]);
    },
    timeoutMs,
  );
});

test(
  'exits with one line on stderr when the key is unknown, and requests sent meanwhile get the same message',
  async () => {
    const unknownKey = formatKey('0'.repeat(12), '0'.repeat(43));
    const ended = await run(opening + line({ id: 2, method: 'tools/list' }), {
      SWITCHBOARD_API_KEY: unknownKey,
      LOG_LEVEL: 'warn',
    });
    expect(ended.code).toBe(1);
    const reason = 'SWITCHBOARD_API_KEY is not a valid key';
    expect(ended.stderr.trim().split('\n')).toEqual([expect.stringContaining(reason)]);
    expect(messagesOf(ended.stdout)).toMatchObject([
      { id: 1, result: { serverInfo: { name: 'switchboard' } } },
      { id: 2, error: { message: expect.stringContaining(reason) } },
    ]);
    expect(await run('', { SWITCHBOARD_API_KEY: unknownKey })).toMatchObject({ code: 1, stdout: '' });
  },
  timeoutMs,
);

describe('a line that is not a message (finding 54)', () => {
  const long = 'x'.repeat(2 * 1024 * 1024);
  const defects: readonly (readonly [sent: string, id: unknown, code: number, message: RegExp])[] = [
    ['{broken\n', null, -32700, /not valid JSON/],
    [`[${line({ id: 7, method: 'ping' }).trim()}]\n`, null, -32600, /one message per line/],
    ['7\n', null, -32600, /must be an object/],
    ['{"id":7,"method":"ping"}\n', 7, -32600, /jsonrpc/],
    [line({ id: 7, method: 'ping', params: [] }), 7, -32600, /params/],
    [line({ id: {}, method: 'ping' }), null, -32600, /check id/],
    [line({ id: 7, method: 'ping', params: { long } }), 7, -32600, /exceeds 1048576 bytes/],
    // As the SDK's client writes it.
    [`{"method":"ping","params":{"x":"${long}"},"jsonrpc":"2.0","id":"a"}\n`, 'a', -32600, /exceeds/],
    [`${long}\n`, null, -32600, /exceeds/],
  ];
  // A response gets no response, so that two programs never exchange errors forever.
  const responses =
    line({ id: null, error: { code: -32700, message: 'not JSON' } }) + line({ id: {}, result: 7 });

  test(
    'gets an error with our own message, and the lines after it are read',
    async () => {
      const sent = defects.map(([text]) => text).join('');
      // Without a newline at its end.
      const last = line({ id: 9, method: 'tools/call', params: { name: 'whoami' } }).trim();
      const ended = await run(opening + sent + responses + last, {
        SWITCHBOARD_API_KEY: key,
        LOG_LEVEL: 'silent',
      });
      expect(ended.code).toBe(0);
      const messages = messagesOf(ended.stdout);
      expect(messages.filter((message) => 'error' in message)).toEqual(
        defects.map(([, id, code, message]) => ({
          jsonrpc: '2.0',
          id,
          error: { code, message: expect.stringMatching(message) },
        })),
      );
      expect(messages).toContainEqual(
        expect.objectContaining({ id: 9, result: expect.objectContaining({ isError: false }) }),
      );
    },
    timeoutMs,
  );

  test(
    'that is too long fails only its own call',
    async () => {
      const client = new Client({ name: 'test', version: '1' });
      const clientEnv = { ...env, SWITCHBOARD_API_KEY: key, LOG_LEVEL: 'silent' };
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [program], env: clientEnv }),
      );
      const text = 'x'.repeat(11 * 1024 * 1024);
      await expect(
        client.callTool({ name: 'validate_post', arguments: { text, targets: 'all' } }),
      ).rejects.toMatchObject({ code: -32600, message: expect.stringContaining('exceeds 1048576 bytes') });
      expect(await client.callTool({ name: 'whoami' })).toMatchObject({ isError: false });
      await client.close();
    },
    timeoutMs,
  );
});

test(
  'lists the same tools, templates and prompts before and after the service is open',
  async () => {
    const lists = ['tools/list', 'resources/templates/list', 'prompts/list'];
    const list = async (from: number) => {
      const listed: object[] = [];
      for (const [index, method] of lists.entries()) {
        listed.push((await ask(line({ id: from + index, method }))).result);
      }
      return listed;
    };
    const call = line({ id: 9, method: 'tools/call', params: { name: 'whoami' } });
    const child = start({ SWITCHBOARD_API_KEY: key, LOG_LEVEL: 'silent' });
    const heard = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (text: string) => {
      child.stdin.write(text);
      return JSON.parse((await heard.next()).value as string) as { id: number; result: object };
    };
    await ask(opening);
    const early = await list(2);
    expect(await ask(call)).toMatchObject({ id: 9, result: { isError: false } });
    const late = await list(10);
    const [{ tools }, { resourceTemplates }, { prompts }] = early as [Listed, Listed, Listed];
    expect([tools?.length, resourceTemplates?.length, prompts?.length]).toEqual([expect.any(Number), 3, 3]);
    expect(tools?.length).toBeGreaterThan(10);
    expect(early).toEqual(late);
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));
  },
  timeoutMs,
);

test(
  'the bundled program creates an empty database before it finds that the key is unknown',
  async () => {
    const url = await testDatabase('stdio_empty');
    const { prisma, close } = openDatabase(url, { max: 1 });
    await prisma.$executeRawUnsafe('DROP SCHEMA public CASCADE');
    await prisma.$executeRawUnsafe('CREATE SCHEMA public');
    const ended = await run('', { DATABASE_URL: url, SWITCHBOARD_API_KEY: key, LOG_LEVEL: 'warn' });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('SWITCHBOARD_API_KEY is not a valid key');
    expect(await prisma.workspace.count()).toBe(1);
    await close();
  },
  timeoutMs,
);

test.each([
  [['--toolsets', 'sociable'], {}, 'Unknown toolset'],
  [['--writable'], {}, '--read-only'],
  [[], { SWITCHBOARD_READ_ONLY: 'perhaps' }, 'SWITCHBOARD_READ_ONLY'],
])(
  'exits with one line that names the defect in %j %j',
  async (flags, wrong, reason) => {
    const ended = await run('', { SWITCHBOARD_API_KEY: key, LOG_LEVEL: 'warn', ...wrong }, flags);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr.trim().split('\n')).toEqual([expect.stringContaining(reason)]);
  },
  timeoutMs,
);

test.each([
  ['an older revision', (message: CallMessage) => line(message)],
  [
    'revision 2026-07-28',
    ({ id, params }: CallMessage) => line(modernRequest('tools/call', { ...params }, { id }).message),
  ],
])(
  'a call in %s that is canceled before the service is open is not started',
  async (_revision, inRevision) => {
    const { prisma, close } = openDatabase(env['DATABASE_URL'] ?? '', { max: 1 });
    const before = await prisma.connectSession.count();
    const child = start({ SWITCHBOARD_API_KEY: key, LOG_LEVEL: 'silent' });
    const heard = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const connect = { name: 'connect_account', arguments: { platform: 'bluesky' } };
    child.stdin.write(
      opening +
        inRevision({ id: 2, method: 'tools/call', params: connect }) +
        line({ method: 'notifications/cancelled', params: { requestId: 2 } }) +
        line({ id: 3, method: 'tools/call', params: { name: 'whoami' } }),
    );
    const next = async () => JSON.parse((await heard.next()).value as string) as { id: number };
    expect([(await next()).id, (await next()).id]).toEqual([1, 3]);
    expect(await prisma.connectSession.count()).toBe(before);
    child.stdin.write(inRevision({ id: 4, method: 'tools/call', params: connect }));
    expect(await next()).toMatchObject({ id: 4, result: { isError: false } });
    expect(await prisma.connectSession.count()).toBe(before + 1);
    child.stdin.end();
    await Promise.all([close(), new Promise((resolve) => child.once('close', resolve))]);
  },
  timeoutMs,
);

describe('revision 2026-07-28', () => {
  const modern = (...given: Parameters<typeof modernRequest>) => line(modernRequest(...given).message);

  test(
    'is served beside older revisions in one process, message by message',
    async () => {
      const version = 'io.modelcontextprotocol/protocolVersion';
      const ended = await run(
        [
          modern('server/discover', {}, { id: 11 }),
          opening,
          modern('tools/list', {}, { id: 12 }),
          line({ id: 2, method: 'tools/list' }),
          modern('tools/list', { _meta: { [version]: '2099-01-01' } }, { id: 13 }),
          modern(
            'tools/list',
            { _meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } },
            { id: 14 },
          ),
          modern('ping', {}, { id: 15 }),
          modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 16 }),
          modern('tools/call', { name: 'whoami' }, { id: 17 }),
          modern('resources/read', { uri: 'switchboard://platforms/nowhere' }, { id: 18 }),
          line({ id: 3, method: 'resources/read', params: { uri: 'switchboard://platforms/nowhere' } }),
        ].join(''),
        { SWITCHBOARD_API_KEY: key, LOG_LEVEL: 'silent' },
      );
      expect(ended.code).toBe(0);
      const messages = messagesOf(ended.stdout);
      const responseTo = (id: number) => messages.find((message) => message.id === id);
      const complete = { resultType: 'complete' };
      expect(responseTo(11)).toMatchObject({ result: { ...complete, supportedVersions: ['2026-07-28'] } });
      expect(responseTo(1)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
      expect(responseTo(12)).toMatchObject({ result: { ...complete, cacheScope: 'private' } });
      expect(Object.keys(responseTo(2)?.result ?? {})).toEqual(['tools']);
      const [listed, earlier] = [responseTo(12)?.result, responseTo(2)?.result] as [Listed, Listed];
      expect(listed.tools).toEqual(earlier.tools);
      expect(responseTo(13)).toMatchObject({ error: { code: -32022, data: { requested: '2099-01-01' } } });
      expect(responseTo(14)).toMatchObject({ error: { code: -32602 } });
      expect(responseTo(15)).toMatchObject({ error: { code: -32601 } });
      expect(responseTo(16)).toMatchObject({ result: complete });
      expect(messages).toContainEqual(
        expect.objectContaining({
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications: {}, _meta: { 'io.modelcontextprotocol/subscriptionId': 16 } },
        }),
      );
      expect(responseTo(17)).toMatchObject({ result: { ...complete, isError: false } });
      expect(responseTo(18)).toMatchObject({ error: { code: -32602 } });
      expect(responseTo(3)).toMatchObject({ error: { code: -32002 } });
      expect(messages).toHaveLength(12);
    },
    timeoutMs,
  );

  test(
    'ends with the reason when the key is unknown, as in older revisions',
    async () => {
      const unknownKey = formatKey('0'.repeat(12), '0'.repeat(43));
      const ended = await run(
        modern('server/discover', {}, { id: 1 }) + modern('tools/list', {}, { id: 2 }),
        {
          SWITCHBOARD_API_KEY: unknownKey,
          LOG_LEVEL: 'warn',
        },
      );
      expect(ended.code).toBe(1);
      const reason = 'SWITCHBOARD_API_KEY is not a valid key';
      expect(messagesOf(ended.stdout)).toMatchObject([
        { id: 1, result: { resultType: 'complete' } },
        { id: 2, error: { message: expect.stringContaining(reason) } },
      ]);
    },
    timeoutMs,
  );
});

test(
  'responds to everything that was piped in, writes only the protocol to stdout, and exits',
  async () => {
    const calls = [2, 3, 4].map((id) => line({ id, method: 'tools/call', params: { name: 'whoami' } }));
    const ended = await run(opening + calls.join(''), { SWITCHBOARD_API_KEY: key, LOG_LEVEL: 'trace' });
    const messages = messagesOf(ended.stdout);
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4]);
    for (const { jsonrpc, result } of messages) expect([jsonrpc, typeof result]).toEqual(['2.0', 'object']);
    expect(ended.code).toBe(0);
    expect(ended.stdout + ended.stderr).not.toContain(key);
  },
  timeoutMs,
);

test(
  'serves a real client from any working directory, with the tools that flags and environment leave',
  async () => {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, '--toolsets', 'social', '--read-only'],
      env: { ...env, SWITCHBOARD_API_KEY: key, LOG_LEVEL: 'silent' },
      cwd: '/',
    });
    await client.connect(transport);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['whoami', 'get_post', 'validate_post']));
    expect(names).not.toEqual(expect.arrayContaining(['create_post']));
    expect(names).not.toEqual(expect.arrayContaining(['list_connections']));
    expect(await client.callTool({ name: 'whoami' })).toMatchObject({
      structuredContent: { key: { name: 'agent' } },
    });
    await client.close();
  },
  timeoutMs,
);

test(
  'exits on a signal and leaves nothing behind',
  async () => {
    const child = start({ SWITCHBOARD_API_KEY: key, LOG_LEVEL: 'silent' });
    child.stdin.write(opening);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(0);
  },
  timeoutMs,
);

interface CallMessage {
  readonly id: number;
  readonly method: string;
  readonly params: object;
}

type Listed = Partial<Record<'tools' | 'resourceTemplates' | 'prompts', object[]>>;

const messagesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one) as { jsonrpc: string; id: number; result: object });

/** What a failed test leaves running would keep the suite waiting. */
const started = new Set<ChildProcess>();
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

function start(more: Record<string, string>, flags: readonly string[] = []) {
  const child = spawn(process.execPath, [program, ...flags], { env: { ...env, ...more }, stdio: 'pipe' });
  started.add(child);
  child.once('close', () => started.delete(child));
  return child;
}

async function run(input: string, more: Record<string, string>, flags: readonly string[] = []) {
  const child = start(more, flags);
  // The process may exit without reading.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}
