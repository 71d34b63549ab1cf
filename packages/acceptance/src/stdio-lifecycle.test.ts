import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { embeddedStatus, stopEmbedded, type McpProgram } from '@switchboard/bootstrap';
import { startSandbox, type Sandbox } from '@switchboard/sandbox';
import { freePort } from '@switchboard/persistence/testing';
import { connectAccount } from './support/sandbox-store.js';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp, connectMcpProgram, type McpClient } from './support/mcp-client.js';
import { startProgram, type Program } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient } from './support/rest-client.js';
import type { Env } from './support/installation.js';

/**
 * One installation on its embedded PostgreSQL: first with a REST process, then only with the processes that
 * MCP clients start.
 */
let sandbox: Sandbox;
let dataDir: string;
let env: Env;
let rest: Program;
let restUrl: string;
let agentKey: string;
let connectionId: string;
let printedConfig: McpProgram;
let slow: Promise<StdioExit>;
beforeAll(async () => {
  sandbox = await startSandbox();
  dataDir = await mkdtemp(join(tmpdir(), 'switchboard-stdio-'));
  const [port, mcpPort, unused] = await Promise.all([freePort(), freePort(), freePort()]);
  restUrl = `http://127.0.0.1:${port}`;
  env = {
    SWITCHBOARD_DATA_DIR: dataDir,
    PORT: String(port),
    MCP_PORT: String(mcpPort),
    // A sandbox inside the REST process would end with it.
    SWITCHBOARD_SANDBOX_PORT: String(unused),
    SWITCHBOARD_SANDBOX_SOCIAL_BASE_URL: sandbox.url,
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(sandbox.url).host,
  };
  rest = startProgram(programs.rest, { ...env, LOG_LEVEL: 'warn' });
  await rest.waitForOutput(/REST is ready/);
  const key = async (name: string) => (await readFile(join(dataDir, name), 'utf8')).trim();
  agentKey = await key('agent-key');
  const client = restClient(restUrl, await key('api-key'));
  connectionId = await connectAccount(client, 'sandbox_social', 'maren-holt');
  printedConfig = (await config<McpProgram>('claude-desktop')).mcpServers.switchboard;
  // Runs in the background during the first tests.
  slow = callAndDisconnect(SLOW);
});
afterAll(async () => {
  await rest?.stop();
  await slow?.catch(() => undefined);
  await stopEmbedded({ dataDir });
  await sandbox?.close();
  await rm(dataDir, { recursive: true, force: true });
});

interface RecordedCall {
  readonly url: string;
  readonly headers: { readonly Authorization: string };
}

/** The client configuration that the command line prints. */
async function config<Server>(...args: readonly string[]) {
  const asked = [programs.cli, 'mcp', 'config', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, asked, { env: { ...env }, cwd: '/' });
  return JSON.parse(stdout) as { mcpServers: { switchboard: Server } };
}

const startPrinted = () => connectMcpProgram(printedConfig);

const waitForDatabaseStop = () =>
  eventually('the database has stopped', async () =>
    (await embeddedStatus({ dataDir })).running ? null : true,
  );

const ownPosts = () => sandbox.ledger.entries({ effect: 'post.created' });
const deliveryOf = (post: JsonObject) => asObject(asObjects(post['deliveries'])[0]);

async function publish(client: McpClient, words: string): Promise<JsonObject> {
  const targets = [{ connection_id: connectionId }];
  const { isError, json, text: said } = await client.call('create_post', { text: words, targets });
  expect([isError, said]).toEqual([false, expect.stringContaining('Published')]);
  return json;
}

/** The program of the printed configuration with its streams. */
const spawnPrinted = (more: Env = {}) =>
  spawn(printedConfig.command, printedConfig.args, {
    env: { ...printedConfig.env, ...more },
    cwd: '/',
    stdio: 'pipe',
  });

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const initializeMessages =
  line({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }) + line({ method: 'notifications/initialized' });
const create = (id: number, words: string) => {
  const given = { text: words, targets: [{ connection_id: connectionId }], wait_seconds: 30 };
  return line({ id, method: 'tools/call', params: { name: 'create_post', arguments: given } });
};

const SLOW = 'Slower than the timeout';

interface StdioExit {
  readonly code: number | null;
  readonly stdout: string;
}

/** Simulates piped input: stdin ends with the last request. */
async function callAndDisconnect(words: string): Promise<StdioExit> {
  delay(words, 6500);
  const child = spawnPrinted({ LOG_LEVEL: 'warn' });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const stdout = textOf(child.stdout);
  child.stdin.end(initializeMessages + create(2, words));
  return { code: await code, stdout: await stdout };
}

/** Delays the network's response for this post. */
const delay = (words: string, ms: number) =>
  sandbox.faults.add({
    platform: 'social',
    kind: 'delay',
    delay_ms: ms,
    match: { method: 'POST', body: words },
  });

test('the printed client configuration starts this installation from any directory with no other environment', async () => {
  const client = await startPrinted();
  expect(await client.tools()).toEqual(expect.arrayContaining(['whoami', 'create_post', 'list_orders']));
  expect(await client.call('whoami')).toMatchObject({ isError: false, json: { key: { name: 'agent' } } });
  await client.close();
});

/** Another Node.js installation on this machine than the one that runs the tests. */
const otherNode = (process.env['PATH'] ?? '')
  .split(':')
  .map((folder) => join(folder, 'node'))
  .find((node) => /^v(2[0-35-9])\./.test(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''));

(otherNode === undefined ? test.skip : test)(
  'a client that starts it with the machine’s Node.js reaches the same installation',
  async () => {
    const client = await connectMcpProgram({ ...printedConfig, command: otherNode ?? '' });
    expect(await client.call('whoami')).toMatchObject({ isError: false, json: { key: { name: 'agent' } } });
    await client.close();
  },
);

test('the printed client configuration for HTTP, with a key inserted, is accepted by the running server', async () => {
  const { url, headers } = (await config<RecordedCall>('cursor', '--http')).mcpServers.switchboard;
  expect(headers).toEqual({ Authorization: 'Bearer <your key>' });
  const server = startProgram(programs.mcpHttp, env);
  await server.waitForOutput(/MCP is ready/);
  const client = await connectMcpHttp({ mcpUrl: url }, agentKey);
  expect(await client.call('whoami')).toMatchObject({ json: { key: { name: 'agent' } } });
  await client.close();
  expect(await server.stop()).toEqual({ code: 0, signal: null });
});

test('a request received before the end of stdin gets its response, however long it takes', async () => {
  const { code, stdout } = await slow;
  expect(code).toBe(0);
  const answers = stdout
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one) as JsonObject);
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  expect(asObject(answers[1]?.['result'])['structuredContent']).toMatchObject({ status: 'published' });
});

test('next to a running service it uses the same database, and leaves the service running', async () => {
  const client = await startPrinted();
  const post = await publish(client, 'Beside a running service');
  const link = await client.call('connect_account', { platform: 'bluesky' });
  expect(link.json).toMatchObject({ served: true });
  await client.close();
  const seen = await restClient(restUrl, agentKey).expect(200, 'GET', `/social/posts/${asText(post['id'])}`);
  expect(seen).toMatchObject({ status: 'published' });
  expect(await embeddedStatus({ dataDir })).toMatchObject({ running: true });
});

test('alone it starts the database, and publishes immediately and on schedule', async () => {
  expect(await rest.stop()).toEqual({ code: 0, signal: null });
  await waitForDatabaseStop();
  const before = ownPosts().length;
  const client = await startPrinted();
  await publish(client, 'Alone');
  const dueMs = Date.now() + 1500;
  const { json: later } = await client.call('create_post', {
    text: 'Alone, and later',
    scheduled_at: new Date(dueMs).toISOString(),
    targets: [{ connection_id: connectionId }],
  });
  const sent = await client.call('get_post', { id: later['id'], wait_seconds: 30 });
  expect(sent.json).toMatchObject({ status: 'published' });
  expect(ownPosts()).toHaveLength(before + 2);
  expect(Date.parse(ownPosts().at(-1)?.at ?? '')).toBeGreaterThanOrEqual(dueMs);
  const link = await client.call('connect_account', { platform: 'bluesky' });
  expect(link.json).toMatchObject({ served: false });
  expect(link.text).toMatch(/^No REST process serves this link:/);
  await client.close();
});

test('a post in progress during shutdown is published once, and stdout contains only protocol messages', async () => {
  const words = 'On its way at the end';
  const asked = sandbox.requests().length;
  delay(words, 1500);
  const before = ownPosts().length;
  const child = spawnPrinted({ LOG_LEVEL: 'trace' });
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (one) => said.push(one));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const stderr = textOf(child.stderr);
  child.stdin.write(initializeMessages + create(2, words));
  await eventually('the sandbox received the request', async () =>
    sandbox
      .requests()
      .slice(asked)
      .some(({ fault }) => fault === 'delay')
      ? true
      : null,
  );
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(said.length).toBeGreaterThan(0);
  for (const one of said) expect(JSON.parse(one)).toMatchObject({ jsonrpc: '2.0' });
  expect(await stderr).not.toContain(agentKey);

  const client = await startPrinted();
  const { json } = await client.call('list_posts', { limit: 1 });
  const [post] = asObjects(json['data']);
  const settled = await client.call('get_post', { id: post?.['id'], wait_seconds: 20 });
  expect(settled.json).toMatchObject({ text: words, status: 'published' });
  expect(ownPosts()).toHaveLength(before + 1);
  expect(deliveryOf(settled.json)['external_id']).toBe(ownPosts().at(-1)?.id);
  await client.close();
});

test('the last process stops the database', async () => {
  await waitForDatabaseStop();
});
