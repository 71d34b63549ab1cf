import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ok, type PostId } from '@switchboard/domain';
import { scopes, type Scope } from '@switchboard/domain/access';
import { catalog } from '@switchboard/operations';
import { callOperation } from './support/call-operation.js';
import { connectSandbox } from './support/connect-sandbox.js';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp, connectMcpStdio } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { startProgram } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient } from './support/rest-client.js';
import { connectAccount } from './support/sandbox-store.js';
import { sandboxControl } from './support/sandbox-control.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

let switchboard: Switchboard;
let operator: Operator;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'sandbox_journey', mcp: true });
  operator = await openOperator(switchboard);
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

/** A white pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

async function upload(bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), 'point.gif');
  const response = await fetch(`${switchboard.url}/v1/social/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${switchboard.keys.full}` },
    body: form,
  });
  return asText(((await response.json()) as JsonObject)['id']);
}

/** The six tasks of the specification, expressed once and executed over either wire. */
interface OperationWire {
  readonly name: string;
  sendRequest(operation: string, input: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
}

function openRestWire(key: string): OperationWire {
  const client = restClient(switchboard.url, key);
  return {
    name: 'REST',
    async sendRequest(name, input) {
      const operation = catalog.find((one) => one.name === name);
      if (!operation) throw new Error(`unknown operation ${name}`);
      const answer = await callOperation(client, operation, input);
      if (answer.status !== operation.http.status) throw new Error(`${name} returned ${answer.text}`);
      return answer.json;
    },
    close: async () => undefined,
  };
}

async function openStdioWire(key: string): Promise<OperationWire> {
  const client = await connectMcpStdio(switchboard, key);
  return {
    name: 'MCP',
    async sendRequest(name, input) {
      const { tool, compact } = catalog.find((operation) => operation.name === name) ?? {};
      const answer = await client.call(tool ?? name, compact ? { ...input, detail: true } : input);
      if (answer.isError) throw new Error(`${tool} returned ${answer.text}`);
      return answer.json;
    },
    close: () => client.close(),
  };
}

async function connect(wire: OperationWire, platform: string, account: string): Promise<string> {
  const session = await wire.sendRequest('startConnect', { platform });
  const page = await connectSandbox(asText(session['url']), { account });
  expect(page.status).toBe(200);
  const connected = await wire.sendRequest('getConnectSession', { id: session['id'] });
  expect(connected).toMatchObject({ status: 'connected', error: null });
  const [id] = connected['connection_ids'] as string[];
  return id ?? '';
}

const untilPublished = (wire: OperationWire, id: unknown): Promise<JsonObject> =>
  eventually('the post is published', async () => {
    const post = await wire.sendRequest('getPost', { id });
    return post['status'] === 'published' ? post : null;
  });

const journeys = [
  { wire: async () => openRestWire(switchboard.keys.full), social: 'maren-holt', store: 'alder-oak' },
  { wire: () => openStdioWire(switchboard.keys.full), social: 'lumen-coffee', store: 'harbor-supply' },
];

describe.each(journeys)('the six tasks, journey %#', ({ wire: open, social, store }) => {
  let wire: OperationWire;
  let socialId: string;
  let storeId: string;
  beforeAll(async () => {
    wire = await open();
  });
  afterAll(() => wire?.close());

  test('connects a network account and a store through the hosted flow', async () => {
    socialId = await connect(wire, 'sandbox_social', social);
    storeId = await connect(wire, 'sandbox_store', store);
    expect(socialId).toMatch(/^con_/);
    expect(storeId).toMatch(/^con_/);
  });

  test('lists the connected accounts with their capabilities', async () => {
    const { data } = await wire.sendRequest('listConnections', {});
    const mine = asObjects(data).filter(({ id }) => id === socialId || id === storeId);
    expect(mine).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: socialId,
          status: 'active',
          platform: 'sandbox_social',
          capabilities: ['publishing', 'analytics'],
          account: expect.objectContaining({ id: social }),
        }),
        expect.objectContaining({
          id: storeId,
          status: 'active',
          platform: 'sandbox_store',
          capabilities: ['orders', 'refunds'],
        }),
      ]),
    );
    expect(mine).toHaveLength(2);
  });

  test('publishes a post immediately, and a scheduled one at its time', async () => {
    const targets = [{ connection_id: socialId }];
    const now = await wire.sendRequest('createPost', { text: `Now, by ${wire.name}`, targets });
    const scheduledAt = new Date(Date.now() + 2500).toISOString();
    const later = await wire.sendRequest('createPost', {
      text: `Later, by ${wire.name}`,
      scheduled_at: scheduledAt,
      targets,
    });
    expect(later).toMatchObject({ status: 'scheduled', scheduled_at: scheduledAt });
    const posts = [await untilPublished(wire, now['id']), await untilPublished(wire, later['id'])];

    const made = await sandboxControl(switchboard.sandboxUrl).ledger('post.created', social);
    expect(made).toHaveLength(2);
    const deliveries = posts.map((post) => asObjects(post['deliveries'])[0]);
    expect(deliveries.map((delivery) => delivery?.['external_id'])).toEqual(made.map(({ id }) => id));
    expect(made[1]?.at && Date.parse(made[1].at)).toBeGreaterThanOrEqual(Date.parse(scheduledAt));
    for (const delivery of deliveries) {
      const page = await fetch(asText(delivery?.['url']));
      expect(await page.text()).toContain(`by ${wire.name}`);
    }
  });

  test('reads metrics of all platforms in one shape, and reports missing ones as unknown', async () => {
    const report = await wire.sendRequest('getAnalytics', { connection_id: socialId, group_by: 'post' });
    expect(asObjects(report['groups'])).toHaveLength(2);
    expect(report['totals']).toMatchObject({
      impressions: expect.any(Number),
      likes: expect.any(Number),
      reach: null,
      views: null,
      saves: null,
    });
  });

  test('lists and filters the orders of the store', async () => {
    const all = await wire.sendRequest('listOrders', { connection_id: storeId, limit: 100 });
    const paid = await wire.sendRequest('listOrders', {
      connection_id: storeId,
      payment_status: ['paid'],
      limit: 100,
    });
    expect(asObjects(all['sources'])).toMatchObject([{ connection_id: storeId, status: 'ok' }]);
    expect(asObjects(paid['data']).length).toBeGreaterThan(0);
    expect(new Set(asObjects(paid['data']).map((order) => order['payment_status']))).toEqual(
      new Set(['paid']),
    );
    const [order] = asObjects(paid['data']);
    const found = await wire.sendRequest('listOrders', { connection_id: storeId, number: order?.['number'] });
    expect(asObjects(found['data']).map(({ id }) => id)).toEqual([order?.['id']]);
    expect(await wire.sendRequest('getOrder', { order_id: order?.['id'] })).toMatchObject({
      id: order?.['id'],
    });
  });

  /** Over MCP a list is abbreviated: the payments are in the single order. */
  async function firstPaidOnline(listed: readonly JsonObject[]): Promise<JsonObject | undefined> {
    for (const { id } of listed) {
      const order = await wire.sendRequest('getOrder', { order_id: id });
      if (asObjects(order['payments']).every((payment) => payment['refundable_online'] === true))
        return order;
    }
    return undefined;
  }

  test('refunds an order from a quote: the quoted amount moves once', async () => {
    const paid = await wire.sendRequest('listOrders', {
      connection_id: storeId,
      payment_status: ['paid'],
      limit: 100,
    });
    const order = await firstPaidOnline(asObjects(paid['data']));
    const quote = await wire.sendRequest('quoteRefund', {
      order_id: order?.['id'],
      full: true,
      reason: 'damaged',
    });
    expect(quote['amount']).toEqual(asObject(order?.['totals'])['refundable']);
    const arguments_ = {
      quote_id: quote['id'],
      ...(wire.name === 'REST' && { order_id: order?.['id'] }),
    };
    const refund = await wire.sendRequest('refundOrder', arguments_);
    expect(refund).toMatchObject({ status: 'succeeded', money_moved: true, amount: quote['amount'] });
    expect(await wire.sendRequest('refundOrder', arguments_)).toEqual(refund);

    const made = await sandboxControl(switchboard.sandboxUrl).ledger('refund.created', store);
    expect(made.map(({ id }) => id)).toEqual([refund['external_id']]);
    const after = await wire.sendRequest('getOrder', { order_id: order?.['id'] });
    expect(after).toMatchObject({ payment_status: 'refunded', totals: { refunded: quote['amount'] } });
  });

  test('publishes what the account supports: a topic, images, a thread and a first comment on one page', async () => {
    const before = await wire.sendRequest('getPublishingOptions', { id: socialId });
    const topic = asObjects(before['options']).find(({ name }) => name === 'topic');
    const [choice] = asObjects(topic?.['choices']);
    const [first, second] = [await upload(GIF), await upload(GIF)];
    const post = await wire.sendRequest('createPost', {
      text: `Two images, by ${wire.name}`,
      media: [{ media_id: first, alt_text: 'A white point' }],
      thread: [{ text: `And on it goes, by ${wire.name}`, media: [{ media_id: second }] }],
      first_comment: { text: `Links below, by ${wire.name}` },
      targets: [{ connection_id: socialId, options: { topic: choice?.['value'] } }],
    });
    const [delivery] = asObjects((await untilPublished(wire, post['id']))['deliveries']);
    const parts = asObjects(delivery?.['parts']).map((part) => asText(part['external_id']));

    const page = await (await fetch(asText(delivery?.['url']))).text();
    const places = [
      ...parts.map((id) => `id="${id}"`),
      `>${asText(choice?.['value'])}<`,
      'alt="A white point"',
    ];
    expect(places.filter((place) => !page.includes(place))).toEqual([]);
    const images = [...page.matchAll(/<img src="(\/social\/media\/[^"]+)"/g)];
    expect(images).toHaveLength(2);
    for (const [, image] of images) {
      const shown = await fetch(`${switchboard.sandboxUrl}${image}`);
      expect(Buffer.from(await shown.arrayBuffer())).toEqual(GIF);
    }

    const after = await wire.sendRequest('getPublishingOptions', { id: socialId });
    const used = (options: JsonObject) => Number(asObjects(options['quotas'])[0]?.['used']);
    expect(used(after)).toBe(used(before) + 2);
    await expect(wire.sendRequest('getPublishingOptions', { id: storeId })).rejects.toThrow(
      'does not support publishing',
    );
  });

  test('reports an exhausted daily quota, and publishes a post sent anyway when the quota renews', async () => {
    const control = sandboxControl(switchboard.sandboxUrl);
    const post = { text: `One too many, by ${wire.name}`, targets: [{ connection_id: socialId }] };
    const [left] = asObjects((await wire.sendRequest('validatePost', post))['targets']);
    const [quota] = asObjects((await wire.sendRequest('getPublishingOptions', { id: socialId }))['quotas']);
    expect(left).toMatchObject({
      quota_left: Number(quota?.['limit']) - Number(quota?.['used']),
      problems: [],
    });

    await control.settings({ posts_per_day: Number(quota?.['used']) });
    try {
      expect(await wire.sendRequest('validatePost', post)).toMatchObject({
        valid: false,
        targets: [{ quota_left: 0, problems: [{ path: 'targets.0', code: 'quota.exceeded' }] }],
      });
      const created = await wire.sendRequest('createPost', {
        ...post,
        ...(wire.name === 'MCP' && { wait_seconds: 0 }),
      });
      const waiting = await eventually('it was refused for now', async () => {
        const { deliveries } = await wire.sendRequest('getPost', { id: created['id'] });
        return asObjects(deliveries).find(({ status }) => status === 'retrying') ?? null;
      });
      expect(waiting).toMatchObject({ error: { code: 'platform.rate_limited' } });
      await control.settings({ posts_per_day: Number(quota?.['limit']) });
      expect(await untilPublished(wire, created['id'])).toMatchObject({ status: 'published' });
    } finally {
      await control.settings({ posts_per_day: Number(quota?.['limit']) });
    }
  });
});

test('a post whose URL becomes available later receives it, and can be deleted', async () => {
  const wire = openRestWire(switchboard.keys.full);
  const control = sandboxControl(switchboard.sandboxUrl);
  const { service, workspaceId } = operator;
  const { ports } = service;
  const id = await connect(wire, 'sandbox_social', 'tidal-museum');
  await control.settings({ post_url_after_seconds: 3600 });
  try {
    const created = await wire.sendRequest('createPost', {
      text: 'Where am I?',
      targets: [{ connection_id: id }],
    });
    const [early] = asObjects((await untilPublished(wire, created['id']))['deliveries']);
    expect(early).toMatchObject({ url: null, parts: [{ url: null }] });

    await control.settings({ post_url_after_seconds: 0 });
    // Skips the wait of one minute.
    const post = await ports.posts.find(workspaceId, asText(created['id']) as PostId);
    const [delivery] = post?.deliveries ?? [];
    expect(delivery?.resolveUrlAt).toBeInstanceOf(Date);
    await ports.transactions.run(async (tx) => {
      const changes = { resolveUrlAt: ports.clock.now() };
      if (delivery) await tx.deliveries.settle([{ id: delivery.id, epoch: delivery.epoch, changes }]);
      return ok();
    });
    const located = await eventually('the URL is resolved', async () => {
      const [now] = asObjects((await wire.sendRequest('getPost', { id: created['id'] }))['deliveries']);
      return now?.['url'] == null ? null : now;
    });
    expect(located).toMatchObject({ status: 'published', parts: [{ url: located['url'] }] });
    expect(await (await fetch(asText(located['url']))).text()).toContain('Where am I?');
    const { data } = await wire.sendRequest('getPostHistory', { id: created['id'] });
    expect(asObjects(data).at(-1)).toMatchObject({ kind: 'state', outcome: 'located' });
    expect(await wire.sendRequest('unpublishPost', { id: created['id'] })).toMatchObject({
      status: 'deleted',
    });
  } finally {
    await control.settings({ post_url_after_seconds: 0 });
  }
});

test('the command line tries a post with media and options on a connected account', async () => {
  const wire = openRestWire(switchboard.keys.full);
  const connectionId = await connect(wire, 'sandbox_social', 'tidal-museum');
  const file = join(switchboard.dataDir, 'point.gif');
  await writeFile(file, GIF);
  const tryPost = async (...args: readonly string[]) => {
    const command = ['platforms', 'try', 'sandbox_social', 'post', '--connection', connectionId, ...args];
    const program = startProgram(programs.cli, { ...switchboard.env, LOG_LEVEL: 'silent' }, command);
    const { code } = await program.exited;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
  expect(await tryPost('Tried', '--option', 'visibility=followers', '--media', file)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Published on 1 of 1: @?\S[^]*http/),
    stderr: '',
  });
  const { data } = await wire.sendRequest('listPosts', { connection_id: connectionId, sort: '-created_at' });
  const [published] = asObjects(data);
  expect(published).toMatchObject({
    text: 'Tried',
    status: 'published',
    media: [expect.objectContaining({ media_id: expect.stringMatching(/^med_/) })],
    targets: [expect.objectContaining({ options: { visibility: 'followers' } })],
  });

  const refused = await tryPost('Tried again', '--option', 'visibility=never');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Visibility must be one of')]);
  const missing = await tryPost('Tried again', '--media', `${file}.png`);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read (ENOENT)')]);
});

test('finding 52: the metrics count deliveries, their lateness and the uses of the vault', async () => {
  const wire = openRestWire(switchboard.keys.full);
  const connectionId = await connect(wire, 'sandbox_social', 'tidal-museum');
  const targets = [{ connection_id: connectionId }];
  const created = await wire.sendRequest('createPost', { text: 'Counted', targets });
  await untilPublished(wire, created['id']);
  const metrics = await (await fetch(`${switchboard.url}/metrics`)).text();
  const platform = 'platform="sandbox_social"';
  expect(metrics).toMatch(
    new RegExp(`^switchboard_deliveries_total\\{${platform},outcome="published"\\} [1-9]`, 'm'),
  );
  expect(metrics).toMatch(
    new RegExp(`^switchboard_delivery_lateness_seconds_bucket\\{le="10",${platform}\\} [1-9]`, 'm'),
  );
  expect(metrics).toMatch(/^switchboard_vault_operations_total\{operation="open",outcome="ok"\} [1-9]/m);
});

describe('a key that lacks a scope', () => {
  const scoped = catalog.filter(({ scope }) => scope !== 'any');
  /** The scopes that satisfy a requirement for this one. */
  const satisfying = (scope: Scope): readonly Scope[] =>
    scope === 'posts:read' ? ['posts:read', 'posts:write'] : [scope];
  const required = [...new Set(scoped.map(({ scope }) => scope as Scope))];

  test.each(required)(
    'is rejected by everything that requires %s, identically on REST and MCP',
    async (scope) => {
      const lacking = satisfying(scope);
      const key = await operator.createKey({ scopes: scopes.filter((one) => !lacking.includes(one)) });
      const client = await connectMcpHttp(switchboard, key.token);
      try {
        const tools = await client.tools();
        for (const operation of scoped.filter((one) => lacking.includes(one.scope as Scope))) {
          if (operation.scope !== scope) continue;
          const path = operation.http.path.replace(/:\w+/g, 'any');
          const rest = await restClient(switchboard.url, key.token).sendRequest(
            operation.http.method.toUpperCase(),
            path,
            operation.http.method === 'get' ? {} : { body: {} },
          );
          expect(rest).toMatchObject({
            status: 403,
            json: { code: 'key.scope_missing', details: { required_scope: scope } },
          });
          if (operation.tool === null) continue;
          expect(tools).not.toContain(operation.tool);
          const mcp = await client.call(operation.tool);
          expect(mcp).toMatchObject({ isError: true });
          expect({ ...mcp.json, request_id: '' }).toEqual({ ...rest.json, request_id: '' });
        }
      } finally {
        await client.close();
      }
    },
  );
});

test('a connection stays active while the sandbox of another installation uses its port', async () => {
  const own = await serveSwitchboard({ name: 'sandbox_own', mcp: true });
  try {
    const connection = await connectAccount(
      restClient(own.url, own.keys.full),
      'sandbox_social',
      'maren-holt',
    );
    await own.rest.stop();
    const { SWITCHBOARD_SANDBOX_PORT: port = '' } = own.env;
    const other = await serveSwitchboard({
      name: 'sandbox_other',
      env: { SWITCHBOARD_SANDBOX_PORT: port },
    });
    try {
      // The MCP process of the first installation continues, with the sandbox of the second one.
      const mcp = await connectMcpHttp(own, own.keys.full);
      const called = await mcp.call('get_publishing_options', { id: connection });
      expect(called).toMatchObject({ isError: true, json: { code: 'platform.unavailable' } });
      const listed = await mcp.call('get_connection', { id: connection });
      expect(listed.json).toMatchObject({ status: 'active' });
      await mcp.close();
    } finally {
      await other.stop();
    }
    await own.restartRest();
    await restClient(own.url, own.keys.full).expect(200, 'GET', `/connections/${connection}/publishing`);
  } finally {
    await own.stop();
  }
});
