import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { freePort } from '@switchboard/persistence/testing';
import { countBy } from '../chaos/count-by.js';
import { eventually } from '../support/eventually.js';
import { asObjects, asText } from '../support/json.js';
import { connectMcpHttp } from '../support/mcp-client.js';
import { startProgram } from '../support/program.js';
import { programs } from '../support/programs.js';
import { restClient } from '../support/rest-client.js';
import { sandboxControl } from '../support/sandbox-control.js';
import { connectAccount, refundableOrders } from '../support/sandbox-store.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { query, startPostgresCluster } from './debian-postgres.js';
import { startTcpSwitch } from './tcp-switch.js';

const CALLERS = 8;
const BEFORE_MS = 5000;
/** How long the standby receives nothing before an asynchronous primary is lost. */
const LAG_MS = 1000;
const AFTER_MS = 5000;
const SCHEDULED = 10;
/** A delivery or a refund whose read-backs failed is read again at most 15 minutes later. */
const SETTLE_MAX_MS = 1_000_000;
const RECONNECT_MS = 10_000;

interface Accepted {
  readonly id: string;
  readonly text: string;
  readonly atMs: number;
}

/**
 * REST, MCP, a worker and a REST server with a worker on a primary that is killed while posts and refunds are requested. The
 * first REST server also serves the sandbox.
 */
async function runFailover(synchronous: boolean) {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const cluster = await startPostgresCluster({ synchronous });
    closing.unshift(() => cluster.stop());
    await query(cluster.primary.url, 'CREATE DATABASE switchboard');
    const balancer = await startTcpSwitch();
    closing.unshift(() => balancer.close());
    balancer.route([cluster.primary.port]);
    const url = `postgresql://switchboard@127.0.0.1:${balancer.port}/switchboard`;
    const switchboard = await startSwitchboard({
      name: 'failover',
      databaseUrl: url,
      mcp: true,
      env: { SWITCHBOARD_ROLES: 'http', LOG_LEVEL: 'warn' },
    });
    closing.unshift(() => switchboard.stop());
    const healthPort = await freePort();
    const workerEnv = { ...switchboard.env, SWITCHBOARD_HEALTH_PORT: String(healthPort) };
    const worker = startProgram(programs.cli, workerEnv, ['worker']);
    closing.unshift(() => worker.stop());
    const replica = await switchboard.startReplica({ SWITCHBOARD_ROLES: 'http,worker' });
    await worker.waitForOutput(/The worker is ready/);
    const client = restClient(switchboard.url, switchboard.keys.full);
    const sandbox = sandboxControl(switchboard.sandboxUrl);
    const agent = await connectMcpHttp(switchboard, switchboard.keys.agent);
    closing.unshift(() => agent.close());
    const connection = await connectAccount(client, 'sandbox_social', 'maren-holt');
    const store = await connectAccount(client, 'sandbox_store', 'alder-oak');
    const orders = [...(await refundableOrders(client, store))];

    const accepted: Accepted[] = [];
    const refunds: string[] = [];
    let isOver = false;
    /** Repeats a request with the same idempotency key until it receives a definite response. */
    const request = async (path: string, name: string, body: object) => {
      for (;;) {
        const answer = await client.post(path, body, { 'Idempotency-Key': name }).catch(() => null);
        if (answer?.status === 201) return asText(answer.json['id']);
        const isRetryable =
          answer === null || answer.status >= 500 || answer.json['code'] === 'idempotency.in_progress';
        if (!isRetryable) throw new Error(`${path} returned ${answer.status}: ${answer.text}`);
        await sleep(100);
      }
    };
    const post = async (caller: number) => {
      for (let nth = 0; !isOver; nth += 1) {
        const text = `Failover ${caller}-${nth}`;
        const id = await request('/social/posts', text, { text, targets: [{ connection_id: connection }] });
        accepted.push({ id, text, atMs: Date.now() });
        await sleep(300);
      }
    };
    const refund = async () => {
      for (let order = orders.pop(); order && !isOver; order = orders.pop()) {
        const path = `/ecommerce/orders/${order.id}/refund`;
        refunds.push(await request(path, `refund ${order.id}`, { amount: '0.01' }));
        await sleep(500);
      }
    };
    // Known to both servers, and published while replication is cut: only a synchronous standby knows that it was.
    const dueMs = Date.now() + BEFORE_MS + LAG_MS / 2;
    const scheduled = Array.from({ length: SCHEDULED }, (_, nth) => `Failover scheduled ${nth}`);
    for (const text of scheduled) {
      const id = await request('/social/posts', text, {
        text,
        targets: [{ connection_id: connection }],
        scheduled_at: new Date(dueMs).toISOString(),
      });
      accepted.push({ id, text, atMs: Date.now() });
    }
    const load = Promise.all([...Array.from({ length: CALLERS }, (_, caller) => post(caller)), refund()]);
    await sleep(dueMs - LAG_MS / 2 - Date.now());
    let cutMs = Infinity;
    if (!synchronous) {
      cutMs = Date.now();
      cluster.cutReplication();
      await sleep(LAG_MS);
    }
    await cluster.primary.kill();
    const killedMs = Date.now();
    await cluster.promote();
    balancer.route([cluster.standby.port]);
    balancer.closeOthers();
    const routedMs = Date.now();

    const since = (poll: () => Promise<boolean>, what: string) =>
      eventually(what, async () => ((await poll().catch(() => false)) ? Date.now() - routedMs : null));
    const isReady = async (at: string) => {
      const response = await fetch(`${at}/readyz`, { headers: { connection: 'close' } });
      // The second REST server has a disk of its own, and therefore another media store.
      const { checks } = (await response.json()) as { checks: Record<string, string> };
      return ['database', 'schema', 'vault', 'notices'].every((check) => checks[check] === 'ok');
    };
    const [rest, withWorker, background, mcp, mcpCall, write, delivery] = await Promise.all([
      since(() => isReady(switchboard.url), 'REST is ready and listens'),
      since(() => isReady(replica.url), 'the server with a worker is ready and listens'),
      since(() => isReady(`http://127.0.0.1:${healthPort}`), 'the worker is ready and listens'),
      since(() => isReady(new URL(switchboard.mcpUrl).origin), 'MCP is ready and listens'),
      since(async () => !(await agent.call('list_profiles')).isError, 'MCP responds'),
      since(async () => accepted.some(({ atMs }) => atMs > routedMs), 'a post is accepted'),
      since(async () => {
        const created = await sandbox.ledger('post.created');
        return created.some(({ at }) => Date.parse(at) > routedMs);
      }, 'a post is published'),
    ]);
    const reconnected = {
      rest,
      rest_with_worker: withWorker,
      worker: background,
      mcp,
      mcp_call: mcpCall,
      write,
      delivery,
    };
    await sleep(AFTER_MS);
    isOver = true;
    await load;

    const existing = new Map(
      (
        await query<{ id: string; status: string }>(
          url,
          `SELECT p.id, d.status FROM posts p JOIN deliveries d ON d.post_id = p.id`,
        )
      ).map(({ id, status }) => [id, status]),
    );
    const lost = accepted.filter(({ id }) => !existing.has(id));
    await eventually(
      'every post and refund is settled',
      async () => {
        const rows = await query(
          url,
          `SELECT FROM deliveries WHERE status NOT IN ('published', 'needs_review', 'failed')
         UNION ALL SELECT FROM refunds WHERE status IN ('pending', 'unknown')`,
        );
        await sleep(500);
        return rows.length === 0 ? true : null;
      },
      SETTLE_MAX_MS,
    );
    const statuses = countBy(
      await query<{ status: string }>(url, 'SELECT status FROM deliveries'),
      ({ status }) => status,
    );
    const twice = (names: readonly string[]) =>
      Object.entries(countBy(names, (name) => name))
        .filter(([, count]) => count > 1)
        .map(([name]) => name);
    const published = (await sandbox.ledger('post.created')).map((entry) => asText(entry['text']));
    const made = (await sandbox.ledger('refund.created')).map((entry) => asText(entry['order_id']));
    return {
      accepted: accepted.length,
      refunds: refunds.length,
      published: published.length,
      refunds_made: made.length,
      statuses,
      outage_ms: routedMs - killedMs,
      reconnected_ms: reconnected,
      lost: lost.length,
      lost_before_the_cut: lost.filter(({ atMs }) => atMs < cutMs).length,
      posts_twice: twice(published),
      scheduled_twice: twice(published).filter((text) => scheduled.includes(text)),
      attention: asObjects((await client.expect(200, 'GET', '/attention'))['data']).map(({ kind }) => kind),
      refunds_twice: twice(made),
      unpublished: accepted.filter(({ text }) => !published.includes(text)).length,
    };
  } finally {
    for (const end of closing) await end();
  }
}

type Outcome = Awaited<ReturnType<typeof runFailover>>;

const report = (outcome: Outcome, mode: string) =>
  void process.stderr.write(`${JSON.stringify({ failover: mode, ...outcome })}\n`);

function expectReconnected({ reconnected_ms, refunds, accepted }: Outcome): void {
  for (const [process_, ms] of Object.entries(reconnected_ms))
    expect({ process_, ms, isInTime: ms < RECONNECT_MS }).toEqual({ process_, ms, isInTime: true });
  expect(accepted).toBeGreaterThan(CALLERS);
  expect(refunds).toBeGreaterThan(0);
}

test('a synchronous primary that is lost loses nothing acknowledged, nothing is sent twice, and every process reconnects', async () => {
  const outcome = await runFailover(true);
  report(outcome, 'synchronous');
  expectReconnected(outcome);
  expect(outcome).toMatchObject({ lost: 0, posts_twice: [], refunds_twice: [], unpublished: 0 });
  expect(outcome.statuses).toEqual({ published: outcome.accepted });
  expect(outcome.refunds_made).toBe(outcome.refunds);
});

test('an asynchronous primary that is lost loses only what the standby did not receive, and posts that both knew are published once', async () => {
  const outcome = await runFailover(false);
  report(outcome, `asynchronous, ${LAG_MS} ms behind`);
  expectReconnected(outcome);
  expect(outcome.lost_before_the_cut).toBe(0);
  expect(outcome).toMatchObject({ scheduled_twice: [], refunds_twice: [] });
  expect(outcome.attention).toContain('database_promoted');
});
