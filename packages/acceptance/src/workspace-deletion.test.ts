import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ConnectionId } from '@switchboard/domain';
import { parsePublicId, scopePresets } from '@switchboard/domain/access';
import { credentialBinding } from '@switchboard/domain/connections';
import { deleteWorkspace } from '@switchboard/domain/workspaces';
import { KEY_CHANGES_CHANNEL } from '@switchboard/persistence';
import pg from 'pg';
import { connectAccount } from './support/sandbox-store.js';
import { dumpDatabase, queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { asText } from './support/json.js';

const never = new AbortController().signal;
const ACCOUNT = 'maren-holt';

let switchboard: Switchboard;
let operator: Operator;
let sandbox: ReturnType<typeof sandboxControl>;
/** A workspace that is not deleted. */
let keptWorkspace: RestClient;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'workspace_deletion' });
  operator = await openOperator(switchboard);
  sandbox = sandboxControl(switchboard.sandboxUrl);
  keptWorkspace = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

test('a deleted workspace: its key is rejected everywhere, its post is never published, and nothing sealed for it can be opened', async () => {
  const { ports } = operator.service;
  const workspaceId = await operator.createWorkspace('leaving');
  const key = await operator.createKey({ workspaceId, scopes: scopePresets.full });
  const deletedWorkspace = restClient(switchboard.url, key.token);
  const connectionId = (await connectAccount(deletedWorkspace, 'sandbox_social', ACCOUNT)) as ConnectionId;
  await connectAccount(keptWorkspace, 'sandbox_store', 'alder-oak');
  const dueAt = new Date(Date.now() + 3_600_000);
  const post = await deletedWorkspace.expect(201, 'POST', '/social/posts', {
    body: { text: 'Never published', scheduled_at: dueAt.toISOString() },
    headers: { 'Idempotency-Key': 'leaving-1' },
  });
  const credential = await ports.credentials.find(workspaceId, connectionId);
  const vault = await ports.vault.unlock(workspaceId);
  if (!credential || !vault.ok) throw new Error('connected above');
  const binding = credentialBinding(connectionId, credential.generation);
  const opened = vault.value.open(binding, credential.sealed);
  expect(opened.ok).toBe(true);
  await deletedWorkspace.expect(200, 'GET', '/me');
  const others = await queryRows(
    switchboard.databaseUrl,
    `SELECT * FROM connections WHERE workspace_id <> '${workspaceId}'`,
  );

  const listener = new pg.Client({ connectionString: switchboard.databaseUrl });
  await listener.connect();
  const announced: (string | undefined)[] = [];
  listener.on('notification', ({ payload }) => announced.push(payload));
  await listener.query(`LISTEN ${KEY_CHANGES_CHANNEL}`);
  const deleted = await deleteWorkspace(ports, workspaceId, never);
  expect(deleted).toMatchObject({ ok: true, value: { revoked: [connectionId], notRevoked: [] } });

  // The REST process has just cached the key, and learns from this that it is outdated.
  await eventually('the key is announced', async () =>
    announced.includes(parsePublicId(key.token) ?? '') ? true : null,
  );
  await listener.end();
  await eventually('the key is rejected', async () =>
    (await deletedWorkspace.get('/me')).status === 401 ? true : null,
  );
  expect(await sandbox.ledger('token.revoked', ACCOUNT)).not.toEqual([]);

  // Only the audit log and no-op jobs still reference it in the database.
  const dump = await dumpDatabase(switchboard.databaseUrl);
  const findReferences = [...dump].filter(([, rows]) => rows.includes(workspaceId)).map(([table]) => table);
  expect(findReferences.filter((table) => !/^pgboss\.|^public\.audit_(rows|heads)$/.test(table))).toEqual([]);
  const [last] = await queryRows<{ action: string; actor: string }>(
    switchboard.databaseUrl,
    `SELECT action, actor FROM audit_rows WHERE object = '${workspaceId}' ORDER BY id DESC LIMIT 1`,
  );
  expect(last).toEqual({ action: 'deleteWorkspace', actor: 'system:operator' });
  expect(await queryRows(switchboard.databaseUrl, 'SELECT * FROM connections')).toEqual(others);

  // An attacker has a copy of the ciphertext, the master key and the remaining database.
  const leaseThief = await openOperator(switchboard);
  expect(await leaseThief.service.ports.vault.unlock(workspaceId)).toMatchObject({
    failure: { code: 'vault.unreadable' },
  });
  for (const owner of [operator.workspaceId, null]) {
    const other = await leaseThief.service.ports.vault.unlock(owner);
    expect(other.ok && other.value.open(binding, credential.sealed).ok).toBe(false);
  }
  await leaseThief.close();

  // The other process's worker runs when the post would have been due: what remains in the queue is due now.
  await queryRows(
    switchboard.databaseUrl,
    `UPDATE pgboss.job SET start_after = now() WHERE state = 'created' AND data::text LIKE '%${workspaceId}%'`,
  );
  await eventually('the worker has processed the queue', async () => {
    const left = await queryRows(
      switchboard.databaseUrl,
      `SELECT id FROM pgboss.job WHERE state IN ('created', 'active') AND data::text LIKE '%${workspaceId}%'`,
    );
    return left.length === 0 ? true : null;
  });
  // Two sweeps of the worker.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const effects = await sandbox.ledger('post.created', ACCOUNT);
  expect(effects.filter((effect) => JSON.stringify(effect).includes('Never published'))).toEqual([]);
  expect((await keptWorkspace.get(`/social/posts/${asText(post['id'])}`)).status).toBe(404);
  await keptWorkspace.expect(200, 'GET', '/me');
  expect((await restClient(switchboard.url, null).get('/me')).status).toBe(401);
});
