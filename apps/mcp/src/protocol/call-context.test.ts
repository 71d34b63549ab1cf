import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  ElicitRequestSchema,
  type ClientCapabilities,
  type ElicitResult,
  type JSONRPCMessage,
  type Progress,
} from '@modelcontextprotocol/sdk/types.js';
import { scopes } from '@switchboard/domain/access';
import type { Connection } from '@switchboard/domain/connections';
import type { Delivery } from '@switchboard/domain/deliveries';
import type { Post } from '@switchboard/domain/posts';
import type { McpHandlers, CallContext } from './mcp-handlers.js';
import { protocolServer } from './protocol-server.js';
import { createMcpServer } from './server.js';
import { address, defaultToolFilter, openMcpFixture, type McpFixture } from '../testing/open-mcp-fixture.js';

let fixture: McpFixture;
let accounts: readonly [Connection, Connection];
beforeAll(async () => {
  fixture = await openMcpFixture('during');
  const { build, profile } = fixture;
  accounts = [
    build.connection(profile, { platform: 'bluesky' }),
    build.connection(profile, { platform: 'bluesky' }),
  ];
  await change(async (tx) => {
    for (const account of accounts) await tx.connections.insert(account);
  });
}, 30_000);
afterAll(() => fixture.close());

type Tx = Parameters<Parameters<McpFixture['service']['ports']['transactions']['run']>[0]>[0];
const change = (work: (tx: Tx) => Promise<void>) =>
  fixture.service.ports.transactions.run(async (tx) => {
    await work(tx);
    return { ok: true, value: undefined };
  });

/** A post that is due on both accounts; no worker runs here, so the test publishes it. */
async function duePost(): Promise<Post> {
  const post = fixture.build.post(fixture.profile, accounts);
  await change((tx) => tx.posts.insert(post));
  return post;
}
const publish = ({ id }: Pick<Delivery, 'id'>) =>
  change(async (tx) => {
    const [claimed] = await tx.deliveries.claim('deliver', { id }, 60);
    const epoch = claimed?.delivery.epoch ?? 0;
    await tx.deliveries.settle([{ id, epoch, changes: { status: 'published' } }]);
  });

/** The service, and a record of its finished calls. */
function listening() {
  const ended: string[] = [];
  const { service } = fixture;
  const dispatch: typeof service.dispatch = async (operation, envelope) => {
    const answer = await service.dispatch(operation, envelope);
    ended.push(operation.name);
    return answer;
  };
  return { ended, mcpService: { ...service, dispatch } };
}

/** The connection as a client sees it. */
async function openWire() {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const caller = { authorization: await fixture.keyWith(scopes), address, toolFilter: defaultToolFilter };
  const { ended, mcpService } = listening();
  await createMcpServer(mcpService, caller).connect(ours);
  const heard: JSONRPCMessage[] = [];
  theirs.onmessage = (message) => heard.push(message);
  await theirs.start();
  const send = (message: object) => theirs.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  const clientInfo = { name: 'test', version: '1' };
  await send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  await until(() => heard.length === 1);
  heard.length = 0;
  return { heard, ended, send };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let look = 0; !isSo(); look += 1) {
    if (look > 500) throw new Error('The condition was not met within ten seconds.');
    await sleep(20);
  }
}

const getPost = (id: string, token?: number) => ({
  id: 2,
  method: 'tools/call',
  params: {
    name: 'get_post',
    arguments: { id, wait_seconds: 20 },
    ...(token !== undefined && { _meta: { progressToken: token } }),
  },
});

test('a caller that waits for a post and subscribed to progress is notified of each account, with rising values, before the response', async () => {
  const post = await duePost();
  const agent = await fixture.client(scopes);
  const received: Progress[] = [];
  const asked = agent.callTool(
    { name: 'get_post', arguments: { id: post.id, wait_seconds: 20 } },
    undefined,
    {
      onprogress: (progress) => received.push(progress),
    },
  );
  for (const [index, delivery] of post.deliveries.entries()) {
    await until(() => received.length > index);
    await publish(delivery);
  }
  expect(await asked).toMatchObject({ isError: false, structuredContent: { status: 'published' } });
  expect(received).toEqual([
    { progress: 0, total: 2, message: '0 of 2 published.' },
    { progress: 1, total: 2, message: '1 of 2 published.' },
    { progress: 2, total: 2, message: '2 of 2 published.' },
  ]);
});

test('a caller without a progress token receives no progress', async () => {
  const post = await duePost();
  const { heard, send } = await openWire();
  await send(getPost(post.id));
  await Promise.all(post.deliveries.map(publish));
  await until(() => heard.length > 0);
  expect(heard).toMatchObject([{ id: 2, result: { isError: false } }]);
});

test('a canceled call stops waiting and gets no response, and its post exists', async () => {
  const { heard, ended, send } = await openWire();
  const given = { text: 'Canceled', targets: [{ connection_id: accounts[0].id }], wait_seconds: 25 };
  const params = { name: 'create_post', arguments: given, _meta: { progressToken: 'mine' } };
  await send({ id: 2, method: 'tools/call', params });
  await until(() => heard.length === 1);
  expect(heard).toMatchObject([
    { method: 'notifications/progress', params: { progressToken: 'mine', progress: 0, total: 1 } },
  ]);
  await send({ method: 'notifications/cancelled', params: { requestId: 2 } });
  await until(() => ended.length === 1);
  await send({ id: 3, method: 'ping' });
  await until(() => heard.length === 2);
  expect(heard[1]).toMatchObject({ id: 3, result: {} });
  const { items } = await fixture.service.ports.posts.list(
    fixture.workspace.id,
    { reach: null, sort: '-created_at' },
    { limit: 10 },
  );
  expect(items.find(({ text }) => text === 'Canceled')?.deliveries).toMatchObject([{ status: 'pending' }]);
});

test('closing a connection aborts the calls that wait on it', async () => {
  const post = await duePost();
  const { ended, mcpService } = listening();
  const caller = { authorization: await fixture.keyWith(scopes), address, toolFilter: defaultToolFilter };
  const agent = await fixture.connect(caller, mcpService);
  const asked = agent.callTool({ name: 'get_post', arguments: { id: post.id, wait_seconds: 25 } });
  const refused = expect(asked).rejects.toThrow('Connection closed');
  await sleep(200);
  await agent.close();
  await refused;
  await until(() => ended.length === 1);
});

/** A server that prompts the person and then returns the received decision. */
async function asking(
  capabilities: ClientCapabilities,
  answer: ElicitResult | (() => Promise<ElicitResult>),
  gone?: AbortSignal,
) {
  const received: unknown[] = [];
  const handlers: Partial<McpHandlers> = {
    async callTool(_name, _given, { elicit }: CallContext) {
      const question = { message: 'Refund 12 EUR?', label: 'Yes, refund' };
      const said = elicit ? await elicit(question).catch(() => 'failed') : 'no form support';
      return { content: [{ type: 'text', text: said }], structuredContent: { said }, isError: false };
    },
  };
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await protocolServer(
    { version: '1', toolFilter: defaultToolFilter, disconnected: gone },
    handlers as McpHandlers,
  ).connect(ours);
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  if (capabilities.elicitation) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      received.push(params);
      return typeof answer === 'function' ? answer() : answer;
    });
  }
  await client.connect(theirs);
  const { structuredContent } = await client.callTool({ name: 'refund_order' });
  await client.close();
  return { received, ...(structuredContent as { said: string }) };
}

test.each<[ElicitResult, string]>([
  [{ action: 'accept', content: { confirmed: true } }, 'accepted'],
  [{ action: 'accept', content: { confirmed: false } }, 'declined'],
  [{ action: 'decline' }, 'declined'],
  [{ action: 'cancel' }, 'cancelled'],
])('a response of %j to the prompt means %s', async (answer, said) => {
  const asked = await asking({ elicitation: {} }, answer);
  expect(asked.said).toBe(said);
  expect(asked.received).toMatchObject([
    {
      mode: 'form',
      message: 'Refund 12 EUR?',
      requestedSchema: {
        properties: { confirmed: { type: 'boolean', title: 'Yes, refund', default: false } },
        required: ['confirmed'],
      },
    },
  ]);
});

test('a client that cannot show a form is not prompted', async () => {
  const yes: ElicitResult = { action: 'accept', content: { confirmed: true } };
  expect(await asking({}, yes)).toEqual({ received: [], said: 'no form support' });
  for (const elicitation of [{ url: {} }, { ofTomorrow: {} }]) {
    expect(await asking({ elicitation }, yes)).toEqual({ received: [], said: 'no form support' });
  }
});

test.each([
  ['during the prompt', false],
  ['before the prompt', true],
])('a disconnected client %s is not waited for', async (_when, early) => {
  const gone = new AbortController();
  const leave = () => {
    gone.abort();
    return new Promise<never>(() => undefined);
  };
  if (early) gone.abort();
  const asked = await asking({ elicitation: {} }, leave, gone.signal);
  expect([asked.said, asked.received.length]).toEqual(['failed', early ? 0 : 1]);
});
