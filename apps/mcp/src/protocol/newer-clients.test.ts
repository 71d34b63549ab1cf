import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { scopes } from '@switchboard/domain/access';
import { openMcpFixture, type McpFixture } from '../testing/open-mcp-fixture.js';
import { openHttpTestClient, type HttpTestClient } from '../testing/open-http-test-client.js';

/** Clients of SDK version 2, which use revision 2026-07-28 when a server supports it: docs/decisions/035. */
const program = path.resolve(import.meta.dirname, '../../bin/switchboard-mcp.mjs');
const timeoutMs = 30_000;

let fixture: McpFixture;
let wire: HttpTestClient;
let key: string;
beforeAll(async () => {
  fixture = await openMcpFixture('newer_clients');
  const authorization = await fixture.keyWith(scopes);
  key = authorization.replace('Bearer ', '');
  wire = await openHttpTestClient(fixture.service, authorization);
}, timeoutMs);
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
const clientThat = (mode: VersionNegotiationMode) =>
  new Client({ name: 'test', version: '2' }, { versionNegotiation: { mode } });

test.each([
  ['legacy', 'HTTP', overHttp],
  ['auto', 'HTTP', overHttp],
  ['legacy', 'stdio', overStdio],
  ['auto', 'stdio', overStdio],
] as const)(
  'a newer client in its mode %s falls back over %s, and calls tools, reads resources and gets prompts',
  async (mode, _over, transport) => {
    const client = clientThat(mode);
    await client.connect(transport());
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    expect(await client.callTool({ name: 'whoami' })).toMatchObject({
      isError: false,
      structuredContent: { workspace: { name: 'default' } },
    });
    const uri = 'switchboard://platforms/bluesky';
    expect((await client.readResource({ uri })).contents).toMatchObject([
      { uri, mimeType: 'application/json' },
    ]);
    const refused = client.readResource({ uri: 'switchboard://platforms/nowhere' });
    await expect(refused).rejects.toMatchObject({ data: { code: 'platform.not_found' } });
    const prompt = await client.getPrompt({ name: 'plan_week', arguments: { goals: 'Spring' } });
    expect(prompt.messages).toHaveLength(1);
    await client.close();
  },
  timeoutMs,
);

test.each([
  ['HTTP', overHttp],
  ['stdio', overStdio],
])(
  'a client that supports only 2026-07-28 gets an error over %s, and does not hang',
  async (_over, transport) => {
    const client = clientThat({ pin: '2026-07-28' });
    await expect(client.connect(transport())).rejects.toMatchObject({ code: 'ERA_NEGOTIATION_FAILED' });
    await client.close();
  },
  timeoutMs,
);
