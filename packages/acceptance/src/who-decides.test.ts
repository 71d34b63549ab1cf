import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Scope } from '@switchboard/domain/access';
import { eventually } from './support/eventually.js';
import type { Switchboard } from './support/installation.js';
import { asObject, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp, type McpClient } from './support/mcp-client.js';
import { signIn } from './support/oauth-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { startProgram } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { refundableOrders } from './support/sandbox-store.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { buildTestWorld, type TestWorld } from './support/test-world.js';

/** Who may decide about a post or a refund of `own`, whose tree of keys is: root > parent > own > child. */
let switchboard: Switchboard;
let operator: Operator;
let world: TestWorld;
let order: string;
let own: string;
let agent: McpClient;
/** By the name of the row. */
const tokens = new Map<string, string>();

const familyScopes: readonly Scope[] = [
  'posts:write',
  'orders:read',
  'refunds:write',
  'approvals:write',
  'keys:admin',
];
const approval = {
  posts: 'always',
  refunds_over: [{ currency: 'EUR', amount: '0.01' }],
  expires_in_hours: 24,
};

beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'who_decides', mcp: true });
  operator = await openOperator(switchboard);
  const { url, keys } = switchboard;
  world = await buildTestWorld(url, keys.full, { social: 'maren-holt', store: 'alder-oak' });
  order = asText((await refundableOrders(world.client, world.store))[2]?.id);
  const createKey = async (by: string, policy: object = {}): Promise<string> => {
    const body = { name: 'family', scopes: familyScopes, policy };
    return asText((await restClient(url, by).expect(201, 'POST', '/keys', { body }))['secret']);
  };
  const byOperator = async (scopes: readonly Scope[], policy = {}) =>
    (await operator.createKey({ scopes, policy })).token;
  const root = await byOperator(familyScopes);
  const parent = await createKey(root);
  own = await createKey(parent, { approval });
  const elsewhere = await world.client.expect(201, 'POST', '/profiles', { body: { name: 'Elsewhere' } });
  const foreign = await operator.createWorkspace('Another');
  const revoked = await operator.createKey({ scopes: ['approvals:write'] });
  await revoked.revoke();
  const rows: Readonly<Record<string, string>> = {
    'the requesting key': own,
    'its child': await createKey(own, { approval }),
    'its parent': parent,
    'another child of its parent': await createKey(parent, { approval }),
    'a key bound to another profile': await byOperator(['approvals:write'], {
      profileIds: [elsewhere['id']],
    }),
    'a key of another workspace': (
      await operator.createKey({ scopes: ['approvals:write'], workspaceId: foreign })
    ).token,
    'a key without the scope': await byOperator(['posts:write', 'refunds:write']),
    'a revoked key': revoked.token,
    'an expired key': (await operator.createExpiredKey({ scopes: ['approvals:write'] })).token,
    'an OAuth client of a key that decides': (
      await signIn(switchboard, world.client, ['posts:read'], { policy: {} })
    ).tokens.access,
    'the first key of the tree': root,
    'another child of the first key': await createKey(root),
    'a key bound to this profile': await byOperator(['approvals:write'], { profileIds: [world.profile] }),
    'a key of another tree': await byOperator(['approvals:write']),
    'a key of another tree that needs approvals itself': await byOperator(['approvals:write'], {
      approval: { posts: 'always', refundsOver: [], expiresInHours: 1 },
    }),
  };
  for (const [name, token] of Object.entries(rows)) tokens.set(name, token);
  agent = await connectMcpHttp(switchboard, own);
});
afterAll(async () => {
  await Promise.all([agent?.close(), operator?.close()]);
  await switchboard?.stop();
});

const clientOf = (name: string): RestClient => restClient(switchboard.url, tokens.get(name) ?? null);

const kinds = ['post', 'refund'] as const;
const verbs = ['approve', 'reject'] as const;
type Verb = (typeof verbs)[number];

interface Requested {
  readonly approval: string;
  readonly path: string;
}

let count = 0;
const request: Readonly<Record<(typeof kinds)[number], () => Promise<Requested>>> = {
  async post() {
    const body = {
      text: `A decision about number ${++count}`,
      targets: [{ connection_id: world.social }],
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    };
    return requested('/social/posts', await requestAs('/social/posts', body));
  },
  async refund() {
    // A refund that was approved a moment ago may still be in flight.
    const refund = await eventually('the order can be refunded', async () => {
      const path = `/ecommerce/orders/${order}/refund`;
      const body = { amount: '0.02', allow_duplicate: true };
      const { status, json, text } = await restClient(switchboard.url, own).post(path, body);
      if (status === 201) return json;
      if (json['code'] === 'refund.in_progress') return null;
      throw new Error(text);
    });
    return requested('/ecommerce/refunds', refund);
  },
};
const requestAs = (path: string, body: object) =>
  restClient(switchboard.url, own).expect(201, 'POST', path, { body });
const requested = (collection: string, made: JsonObject): Requested => ({
  approval: asText(asObject(made['approval'])['id']),
  path: `${collection}/${asText(made['id'])}`,
});

const decide = (as: RestClient, verb: Verb, id: string, note = 'Because of the price.') =>
  as.post(`/approvals/${id}/${verb}`, { note });
const readState = async ({ path }: Requested) =>
  asObject((await world.client.expect(200, 'GET', path))['approval']);
const withdraw = ({ approval: id }: Requested) => decide(clientOf('a key of another tree'), 'reject', id);

const decided = { approve: 'approved', reject: 'rejected' } as const;

describe.each(kinds)('about a %s', (kind) => {
  describe('over REST, no decision is made by', () => {
    let waiting: Requested;
    beforeAll(async () => {
      waiting = await request[kind]();
    });
    afterAll(() => withdraw(waiting));

    test.each([
      ['the requesting key', 'approval.not_permitted'],
      ['its child', 'approval.not_permitted'],
      ['its parent', 'approval.not_permitted'],
      ['another child of its parent', 'approval.not_permitted'],
      ['a key bound to another profile', 'approval.not_found'],
      ['a key of another workspace', 'approval.not_found'],
      ['a key without the scope', 'key.scope_missing'],
      ['a revoked key', 'auth.invalid_key'],
      ['an expired key', 'auth.invalid_key'],
      ['an OAuth client of a key that decides', 'auth.invalid_key'],
    ])('%s', async (name, code) => {
      for (const verb of verbs)
        expect((await decide(clientOf(name), verb, waiting.approval)).json).toMatchObject({ code });
      expect(await readState(waiting)).toMatchObject({ status: 'pending', decided_by: null, note: null });
    });
  });

  describe('over REST, a decision is made by', () => {
    test.each([
      'the first key of the tree',
      'another child of the first key',
      'a key bound to this profile',
      'a key of another tree',
      'a key of another tree that needs approvals itself',
    ])('%s', async (name) => {
      for (const verb of verbs) {
        const waiting = await request[kind]();
        const { json, status } = await decide(clientOf(name), verb, waiting.approval);
        expect([status, json]).toEqual([200, expect.objectContaining({ status: decided[verb] })]);
        expect(await readState(waiting)).toMatchObject({
          status: decided[verb],
          decided_by: expect.stringMatching(/^key_/),
          note: 'Because of the price.',
        });
      }
    });
  });

  test('over REST, no decision is made by a key that is revoked after it read the request', async () => {
    const waiting = await request[kind]();
    const { token, revoke } = await operator.createKey({ scopes: ['approvals:write'] });
    const client = restClient(switchboard.url, token);
    const query = { [`${kind}_id`]: asText(waiting.path.split('/').at(-1)) };
    await client.expect(200, 'GET', '/approvals', { query });
    await revoke();
    // Its process may not have noticed yet: then the decision itself reads the key again.
    const codes = new Set(['auth.invalid_key', 'approval.not_permitted']);
    for (const verb of verbs)
      expect(codes).toContain((await decide(client, verb, waiting.approval)).json['code']);
    expect(await readState(waiting)).toMatchObject({ status: 'pending' });
    await withdraw(waiting);
  });

  test.each(verbs)('on the command line, the operator can %s', async (verb) => {
    const waiting = await request[kind]();
    const env = { ...switchboard.env, LOG_LEVEL: 'silent' };
    const args = ['approvals', verb, waiting.approval, '--workspace', operator.workspaceId];
    const program = startProgram(programs.cli, env, [...args, '--note', 'As agreed.']);
    expect([await program.exited, program.stderr()]).toEqual([{ code: 0, signal: null }, '']);
    expect(await readState(waiting)).toMatchObject({
      status: decided[verb],
      decided_by: 'system:operator',
      note: 'As agreed.',
    });
  });

  test.each(verbs)(
    'over MCP, the agent of the requesting key reads the decision to %s and its note, and no link',
    async (verb) => {
      const waiting = await request[kind]();
      const id = waiting.path.split('/').at(-1);
      const read = () =>
        kind === 'post' ? agent.call('get_post', { id }) : agent.call('get_refund', { refund_id: id });
      const before = await read();
      const lists = [
        await agent.call('list_posts', { status: ['awaiting_approval'] }),
        await agent.call('list_attention'),
      ];
      await decide(clientOf('a key of another tree'), verb, waiting.approval);
      const after = await read();
      expect([before.json['approval'], after.json['approval']]).toMatchObject([
        { status: 'pending', note: null },
        { status: decided[verb], note: 'Because of the price.' },
      ]);
      for (const { isError, text, json } of [before, after, ...lists])
        expect([isError, text, JSON.stringify(json)]).toEqual([
          false,
          expect.not.stringContaining('://'),
          expect.not.stringContaining('://'),
        ]);
    },
  );
});

test('over MCP no key decides: no tool is listed, and none can be called', async () => {
  const waiting = await request.post();
  const names = ['the requesting key', 'its parent', 'the first key of the tree', 'a key of another tree'];
  for (const name of names) {
    const client = await connectMcpHttp(switchboard, tokens.get(name) ?? '');
    const tools = await client.tools();
    expect([name, tools.filter((tool) => /approv|reject|decide/.test(tool))]).toEqual([name, []]);
    for (const tool of ['approve_approval', 'reject_approval', 'approve', 'list_approvals']) {
      const response = await client.call(tool, { id: waiting.approval, note: 'Yes.' }).catch(() => null);
      expect([name, tool, response?.isError ?? true]).toEqual([name, tool, true]);
    }
    await client.close();
  }
  expect(await readState(waiting)).toMatchObject({ status: 'pending' });
  await withdraw(waiting);
});

test('on the command line, a request of another workspace is not found', async () => {
  const waiting = await request.post();
  const env = { ...switchboard.env, LOG_LEVEL: 'silent' };
  const program = startProgram(programs.cli, env, [
    'approvals',
    'approve',
    waiting.approval,
    '--workspace',
    'Another',
  ]);
  expect(await program.exited).toMatchObject({ code: 1 });
  expect(program.stderr()).toContain('no approval');
  expect(await readState(waiting)).toMatchObject({ status: 'pending' });
  await withdraw(waiting);
});
