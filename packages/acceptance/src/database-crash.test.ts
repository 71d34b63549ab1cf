import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { embeddedStatus, stopEmbedded } from '@switchboard/bootstrap';
import { createClient, type Client } from '@switchboard/client';
import { repetitions } from '@switchboard/domain/testing';
import { freePort } from '@switchboard/persistence/testing';
import { eventually } from './support/eventually.js';
import { asText } from './support/json.js';
import { connectMcpHttp, type McpClient } from './support/mcp-client.js';
import { startProgram, type Program } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient, type RestClient } from './support/rest-client.js';

/** REST and MCP over HTTP on one embedded PostgreSQL, as `pnpm start` runs them. */
let dataDir: string;
let rest: Program;
let mcp: Program;
let client: RestClient;
let api: Client;
let agent: McpClient;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'switchboard-death-'));
  const [port, mcpPort, sandboxPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const env = {
    SWITCHBOARD_DATA_DIR: dataDir,
    PORT: String(port),
    MCP_PORT: String(mcpPort),
    SWITCHBOARD_SANDBOX_PORT: String(sandboxPort),
    SWITCHBOARD_RATE_LIMIT: '1000000',
    LOG_LEVEL: 'warn',
  };
  rest = startProgram(programs.rest, env);
  await rest.waitForOutput(/REST is ready/);
  mcp = startProgram(programs.mcpHttp, env);
  await mcp.waitForOutput(/MCP is ready/);
  const key = (await readFile(join(dataDir, 'api-key'), 'utf8')).trim();
  const baseUrl = `http://127.0.0.1:${port}`;
  client = restClient(baseUrl, key);
  api = createClient({ baseUrl, apiKey: key });
  agent = await connectMcpHttp({ mcpUrl: `http://127.0.0.1:${mcpPort}/mcp` }, key);
});
afterAll(async () => {
  await agent?.close();
  await rest?.stop();
  await mcp?.stop();
  await stopEmbedded({ dataDir });
  await rm(dataDir, { recursive: true, force: true });
});

const databasePid = async () => {
  const status = await embeddedStatus({ dataDir });
  return status.running ? status.postgresPid : null;
};

const CRASHES = ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGQUIT'] as const;
const CALLERS = repetitions({ few: 4, many: 8 });
/** After each call: continuous calls would take the processor time that the recovery needs. */
const PAUSE_MS = 25;

test('REST and MCP survive crashes of the embedded PostgreSQL, recover, and lose no acknowledged write (finding 13)', async () => {
  const acknowledged: string[] = [];
  const statuses = new Set<number | string>();
  let isOver = false;

  async function write(caller: number): Promise<void> {
    for (let count = 0; !isOver; count += 1) {
      const answer = await client.post('/profiles', { name: `p-${caller}-${count}` });
      statuses.add(answer.status);
      if (answer.status === 201) acknowledged.push(asText(answer.json['id']));
      await sleep(PAUSE_MS);
    }
  }
  async function read(): Promise<void> {
    while (!isOver) {
      // When the key cannot be looked up, the HTTP request itself fails and the client throws.
      const responseBody = await agent.call('list_profiles', { limit: 1 }).then(
        ({ isError, text: answer }) => (isError ? answer : 'listed'),
        ({ message }: Error) => message,
      );
      statuses.add(
        responseBody.includes('The database cannot be reached') ? 'service.unavailable' : responseBody,
      );
      await sleep(PAUSE_MS);
    }
  }
  const load = Promise.all([
    ...Array.from({ length: CALLERS }, (_, caller) => write(caller)),
    read(),
    read(),
  ]);

  for (const signal of CRASHES) {
    await sleep(400);
    const before = await eventually('the database runs', databasePid);
    process.kill(before, signal);
    await eventually('another database process runs', async () => {
      const now = await databasePid();
      return now !== null && now !== before ? now : null;
    });
  }
  await sleep(400);
  isOver = true;
  await load;

  expect([...statuses].sort()).toEqual([201, 503, 'listed', 'service.unavailable']);
  expect((await client.get('/me')).status).toBe(200);
  expect((await agent.call('list_profiles')).isError).toBe(false);
  const running = Symbol('still running');
  expect(await Promise.race([rest.exited, mcp.exited, sleep(0, running)])).toBe(running);

  const found = new Set<string>();
  for await (const { id } of api.iterate('/v1/profiles', { query: { limit: 100 } })) found.add(id);
  expect(acknowledged.length).toBeGreaterThan(CRASHES.length);
  expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
});
