import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { emptyTestDatabase } from '@switchboard/persistence/testing';
import { eventually } from './support/eventually.js';
import { databaseEnv, type Env } from './support/installation.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { openOperator } from './support/operator.js';
import { startProgram } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { connectAccount, refundableOrders, type SandboxOrder } from './support/sandbox-store.js';
import { serveWithReplicas, type SwitchboardWithReplicas } from './support/serve-switchboard.js';

/**
 * The disaster recovery drill of docs/operating.md. The first REST server is the original's, and serves the sandbox: the
 * platforms, which outlive the original.
 */
const ACCOUNT = 'maren-holt';
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();

let original: SwitchboardWithReplicas;
let sandbox: ReturnType<typeof sandboxControl>;
let client: RestClient;
let agent: RestClient;
let approver: RestClient;
let keys: { readonly agent: string; readonly approver: string };
let connection: string;
let order: SandboxOrder;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchboard-backup-'));
  original = await serveWithReplicas({ name: 'restore', env: { SWITCHBOARD_ROLES: 'http' } });
  sandbox = sandboxControl(original.sandboxUrl);
  client = restClient(original.url, original.keys.full);
  connection = await connectAccount(client, 'sandbox_social', ACCOUNT);
  const store = await connectAccount(client, 'sandbox_store', 'alder-oak');
  order = (await refundableOrders(client, store))[0] as SandboxOrder;
  const operator = await openOperator(original);
  const approval = {
    posts: 'always',
    refundsOver: [{ currency: 'EUR', amountMinor: 1 }],
    expiresInHours: 24,
  } as const;
  const scopes = ['posts:write', 'refunds:write', 'orders:read', 'connections:read'] as const;
  keys = {
    agent: (await operator.createKey({ scopes, policy: { approval } })).token,
    approver: (await operator.createKey({ scopes: ['approvals:write'] })).token,
  };
  agent = restClient(original.url, keys.agent);
  approver = restClient(original.url, keys.approver);
  await operator.close();
});
afterAll(async () => {
  await original?.stop();
  await rm(folder, { recursive: true, force: true });
});

const runCommand = async (env: Env, ...args: string[]): Promise<JsonObject> => {
  const command = startProgram(programs.cli, env, [...args, '--json']);
  const { code } = await command.exited;
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${command.output()}`);
  return JSON.parse(command.stdout()) as JsonObject;
};
const create = (as: RestClient, text: string, more: object = {}): Promise<JsonObject> =>
  as.expect(201, 'POST', '/social/posts', {
    body: { text, targets: [{ connection_id: connection }], ...more },
  });
const read = (as: RestClient, post: JsonObject) =>
  as.expect(200, 'GET', `/social/posts/${asText(post['id'])}`);
const untilStatus = (as: RestClient, post: JsonObject, status: string) =>
  eventually(`the post is ${status}`, async () => {
    const found = await read(as, post);
    return found['status'] === status ? found : null;
  });
const approve = (as: RestClient, object: JsonObject) =>
  as.post(`/approvals/${asText(asObject(object['approval'])['id'])}/approve`, {});
const moveToNow = (as: RestClient, post: JsonObject) =>
  as.expect(200, 'PATCH', `/social/posts/${asText(post['id'])}`, {
    body: { scheduled_at: new Date(Date.now() + 1000).toISOString() },
  });
/** The deliveries that the platform published, once for each time. */
const publishedDeliveries = async () =>
  (await sandbox.ledger('post.created', ACCOUNT)).map(({ reference }) => reference?.split('.')[0]).sort();
const deliveryOf = (post: JsonObject) => asText(asObjects(post['deliveries'])[0]?.['id']);
const refundCount = async () => (await sandbox.ledger('refund.created')).length;

test('a restored installation starts paused, and publishes and refunds nothing that the original did after the backup', async () => {
  const [due, moved, later] = [
    await create(client, 'Due at the time of the backup'),
    await create(client, 'Moved to an earlier time after the backup', { scheduled_at: TOMORROW }),
    await create(client, 'Due after the restore', { scheduled_at: TOMORROW }),
  ];
  const approvedLater = await create(agent, 'Approved after the backup');
  const refund = await agent.expect(201, 'POST', `/ecommerce/orders/${order.id}/refund`, {
    body: { amount: '1.00' },
  });
  expect(refund).toMatchObject({ status: 'awaiting_approval' });
  const file = path.join(folder, 'backup');
  const backup = await runCommand(original.env, 'backup', file);
  expect(backup).toMatchObject({ file, media: { included: false } });

  // The original continues for a while.
  const worker = startProgram(programs.cli, original.env, ['worker']);
  await approve(approver, approvedLater);
  await approve(approver, refund);
  await moveToNow(client, moved);
  for (const post of [due, moved, approvedLater]) await untilStatus(client, post, 'published');
  await eventually('the refund is made', async () => ((await refundCount()) === 1 ? true : null));
  const published = await publishedDeliveries();
  expect(published).toHaveLength(3);
  // Its machine is lost.
  worker.kill('SIGKILL');
  await worker.exited;

  const databaseUrl = await emptyTestDatabase('restored');
  const restoredEnv = databaseEnv(databaseUrl);
  const env = { ...original.env, ...restoredEnv, SWITCHBOARD_DATA_DIR: path.join(folder, 'data') };
  expect(await runCommand(env, 'restore', file)).toMatchObject({ restored: true, rows: backup['rows'] });
  const { url } = await original.startReplica({
    ...restoredEnv,
    SWITCHBOARD_ROLES: 'http,worker',
  });
  const restored = restClient(url, original.keys.full);
  const restoredAgent = restClient(url, keys.agent);
  const restoredApprover = restClient(url, keys.approver);
  expect(await restored.expect(200, 'GET', '/me')).toMatchObject({
    pause: { cause: 'restored_backup', reason: expect.stringContaining(asText(backup['taken_at'])) },
  });
  expect(await runCommand(env, 'status')).toMatchObject({ pause: { cause: 'restored_backup' } });
  // Work that is done while paused shows that the worker runs, and sends nothing.
  const held = await create(restored, 'Created while paused');
  await moveToNow(restored, moved);
  await approve(restoredApprover, approvedLater);
  await approve(restoredApprover, refund);
  await new Promise((resolve) => setTimeout(resolve, 5000));
  expect((await read(restored, held))['status']).not.toBe('published');
  expect([await publishedDeliveries(), await refundCount()]).toEqual([published, 1]);

  const resumed = await runCommand(env, 'resume');
  expect(resumed).toMatchObject({ ended: { cause: 'restored_backup' } });
  expect(Number(resumed['read_back'])).toBeGreaterThanOrEqual(2);
  for (const post of [due, moved, approvedLater, held]) {
    const found = await untilStatus(restored, post, 'published');
    if (post === held) continue;
    const before = asObjects((await read(client, post))['deliveries'])[0];
    expect(asObjects(found['deliveries'])[0]).toMatchObject({ external_id: before?.['external_id'] });
  }
  await eventually('the refund is found', async () => {
    const path_ = `/ecommerce/refunds/${asText(refund['id'])}`;
    return (await restoredAgent.expect(200, 'GET', path_))['status'] === 'succeeded' ? true : null;
  });
  await moveToNow(restored, later);
  await untilStatus(restored, later, 'published');
  expect(await publishedDeliveries()).toEqual([...published, deliveryOf(held), deliveryOf(later)].sort());
  expect(await refundCount()).toBe(1);
});
