import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { WorkspaceId } from '@switchboard/domain';
import { scopePresets } from '@switchboard/domain/access';
import { connectAccount, refundableOrders } from './support/sandbox-store.js';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

let switchboard: Switchboard;
let operator: Operator;
let client: RestClient;
let sandbox: ReturnType<typeof sandboxControl>;
let store: string;
let feed: string;
let foreign: string;
let orderId: string;

beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'vault_swaps', env: { SWITCHBOARD_ROLES: 'http' } });
  operator = await openOperator(switchboard);
  sandbox = sandboxControl(switchboard.sandboxUrl);
  client = restClient(switchboard.url, switchboard.keys.full);
  store = await connectAccount(client, 'sandbox_store', 'alder-oak');
  feed = await connectAccount(client, 'sandbox_social', 'maren-holt');
  const workspaceId: WorkspaceId = await operator.createWorkspace('other');
  const key = await operator.createKey({ workspaceId, scopes: scopePresets.full });
  foreign = await connectAccount(restClient(switchboard.url, key.token), 'sandbox_store', 'alder-oak');
  orderId = (await refundableOrders(client, store))[0]?.id ?? '';
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

const sql = (statement: string) => queryRows<{ sealed: string }>(switchboard.databaseUrl, statement);
const refusals = async () =>
  (await sql(`SELECT count(*)::text AS sealed FROM audit_rows WHERE outcome = 'vault.unreadable'`))[0]
    ?.sealed;

test('N28, N29, N30: moved, modified or replayed ciphertext gets the same error, is audited, and the platform receives no request', async () => {
  const [before] = await sql(
    `SELECT encode(sealed, 'hex') AS sealed FROM credentials WHERE connection_id = '${store}'`,
  );
  const own = `decode('${before?.sealed}', 'hex')`;
  const foreignRow = (id: string) => `(SELECT sealed FROM credentials WHERE connection_id = '${id}')`;
  const swapped: [string, string][] = [
    ['of another row', `sealed = ${foreignRow(feed)}`],
    ['of another workspace', `sealed = ${foreignRow(foreign)}`],
    ['of another table', `sealed = (SELECT wrapped FROM data_keys WHERE owner = 'installation')`],
    ['of the previous generation', 'generation = generation + 1'],
    ['with a bit flipped in its header', `sealed = set_bit(${own}, 70, 1 - get_bit(${own}, 70))`],
    ['with a bit flipped in its secret', `sealed = set_bit(${own}, 900, 1 - get_bit(${own}, 900))`],
    ['truncated', `sealed = substr(${own}, 1, 100)`],
    ['empty', `sealed = ''::bytea`],
    ['with an appended byte', `sealed = ${own} || '\\x00'::bytea`],
  ];
  const [generation] = await sql(
    `SELECT generation::text AS sealed FROM credentials WHERE connection_id = '${store}'`,
  );
  const bodies = new Set<string>();
  for (const [what, change] of swapped) {
    const asked = (await sandbox.requests()).length;
    await sql(`UPDATE credentials SET ${change} WHERE connection_id = '${store}'`);
    const answer = await client.get(`/ecommerce/orders/${orderId}`);
    expect([what, answer.status, answer.json['code']]).toEqual([what, 500, 'vault.unreadable']);
    const { request_id: _, ...rest } = answer.json;
    bodies.add(JSON.stringify(rest));
    expect((await sandbox.requests()).length).toBe(asked);
    await sql(
      `UPDATE credentials SET sealed = ${own}, generation = ${generation?.sealed} WHERE connection_id = '${store}'`,
    );
  }
  expect(bodies.size).toBe(1);
  await eventually('it is in the audit log', async () => (Number(await refusals()) > 0 ? true : null));
  await client.expect(200, 'GET', `/ecommerce/orders/${orderId}`);
});
