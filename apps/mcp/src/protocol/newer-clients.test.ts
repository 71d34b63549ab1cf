import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { scopes } from '@switchboard/domain/access';
import { openMcpFixture, type McpFixture } from '../testing/open-mcp-fixture.js';
import { openHttpTestClient, type HttpTestClient } from '../testing/open-http-test-client.js';

/** Clients of SDK version 2, which support revision 2026-07-28 and the older ones: docs/decisions/035. */
const program = path.resolve(import.meta.dirname, '../../bin/switchboard-mcp.mjs');
/** Over stdio a process starts, which takes long on a loaded machine. */
const timeoutMs = 180_000;

let fixture: McpFixture;
let wire: HttpTestClient;
let key: string;
beforeAll(async () => {
  fixture = await openMcpFixture('newer_clients');
  const authorization = await fixture.keyWith(scopes);
  key = authorization.replace('Bearer ', '');
  wire = await openHttpTestClient(fixture.service, authorization);
}, timeoutMs);
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await wire.close();
  await fixture.close();
});

const overHttp = () =>
  new StreamableHTTPClientTransport(new URL(wire.url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
const overStdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [program],
    env: { PATH: process.env['PATH'] ?? '', ...fixture.env, SWITCHBOARD_API_KEY: key },
    cwd: '/',
  });
const pinned = { pin: '2026-07-28' } as const;

test.each<[VersionNegotiationMode, string, string, typeof overHttp | typeof overStdio, number]>([
  ['legacy', '2025-11-25', 'HTTP', overHttp, -32002],
  ['auto', '2026-07-28', 'HTTP', overHttp, -32602],
  [pinned, '2026-07-28', 'HTTP', overHttp, -32602],
  ['legacy', '2025-11-25', 'stdio', overStdio, -32002],
  ['auto', '2026-07-28', 'stdio', overStdio, -32602],
  [pinned, '2026-07-28', 'stdio', overStdio, -32602],
])(
  'a client in its mode %j uses %s over %s: it lists, calls, reads, completes, gets prompts and sees progress',
  async (mode, revision, _over, transport, notFound) => {
    const client = new Client({ name: 'test', version: '2' }, { versionNegotiation: { mode } });
    clients.push(client);
    await client.connect(transport());
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'switchboard', title: 'Switchboard' });
    expect(client.getInstructions()).toContain('Call whoami first');

    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(10);
    expect((await client.listTools(undefined, { cacheMode: 'refresh' })).tools).toEqual(tools);
    expect(await client.callTool({ name: 'whoami' })).toMatchObject({
      isError: false,
      structuredContent: { workspace: { name: 'default' } },
    });
    expect(await client.callTool({ name: 'get_post', arguments: { id: 'pst_0' } })).toMatchObject({
      isError: true,
      structuredContent: { code: 'post.not_found' },
    });
    await expect(client.callTool({ name: 'drop_tables' })).rejects.toMatchObject({ code: -32602 });

    const uri = 'switchboard://platforms/bluesky';
    expect((await client.readResource({ uri })).contents).toMatchObject([
      { uri, mimeType: 'application/json' },
    ]);
    const refused = client.readResource({ uri: 'switchboard://platforms/nowhere' });
    await expect(refused).rejects.toMatchObject({ code: notFound, data: { code: 'platform.not_found' } });
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
    expect((await client.listPrompts()).prompts).toHaveLength(3);
    const prompt = await client.getPrompt({ name: 'plan_week', arguments: { goals: 'Spring' } });
    expect(prompt.messages).toHaveLength(1);
    const ref = { type: 'ref/resource' as const, uri: 'switchboard://platforms/{id}' };
    expect(await client.complete({ ref, argument: { name: 'id', value: 'blue' } })).toMatchObject({
      completion: { values: ['bluesky'] },
    });

    const progress: number[] = [];
    const post = await waitingPost();
    await client.callTool(
      { name: 'get_post', arguments: { id: post, wait_seconds: 1 } },
      { onprogress: (notification) => progress.push(notification.progress) },
    );
    expect(progress).toEqual([0]);
  },
  timeoutMs,
);

/** A post that nothing publishes, because no worker runs. */
async function waitingPost(): Promise<string> {
  const account = fixture.build.connection(fixture.profile, { platform: 'bluesky' });
  const post = fixture.build.post(fixture.profile, [account]);
  await fixture.service.ports.transactions.run(async (tx) => {
    await tx.connections.insert(account);
    await tx.posts.insert(post);
    return { ok: true, value: undefined };
  });
  return post.id;
}
