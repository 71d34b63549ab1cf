import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService } from '@switchboard/bootstrap';
import {
  startTokenChaosEnvironment,
  type TokenChaosEnvironment,
} from './chaos/start-token-chaos-environment.js';
import { discardLog } from './support/discard-log.js';
import { startCommitProxy, type CutPoint } from './support/commit-proxy.js';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText } from './support/json.js';
import { startProgram } from './support/program.js';
import { programs } from './support/programs.js';

let environment: TokenChaosEnvironment;
beforeAll(async () => {
  environment = await startTokenChaosEnvironment({ name: 'token_life' });
});
afterAll(() => environment?.close());

const CUTS: readonly CutPoint[] = ['before the server commits', 'after the server has committed'];

test('R08: a process that loses its database at any commit of a refresh loses no token, and no refresh is rejected', async () => {
  const proxy = await startCommitProxy(environment.switchboard.databaseUrl);
  const through = {
    DATABASE_URL: proxy.url,
    SWITCHBOARD_DIRECT_DATABASE_URL: environment.switchboard.databaseUrl,
    LOG_LEVEL: 'silent',
  };
  const service = await startService({
    app: 'cli',
    logTo: discardLog,
    env: { ...environment.env, ...through },
  });
  try {
    const renew = async (commit: number | null, cut?: CutPoint) => {
      const { ports } = service;
      const connection = await ports.connections.find(
        environment.operator.workspaceId,
        environment.connectionId,
      );
      const credential = await ports.credentials.find(
        environment.operator.workspaceId,
        environment.connectionId,
      );
      if (!connection || !credential) throw new Error('the connection is missing');
      proxy.cutAt(commit, cut);
      await ports.sessions.renew(connection, credential.generation).catch(() => undefined);
      const commits = proxy.commits();
      proxy.cutAt(null);
      return commits;
    };
    const commits = await renew(null);
    expect(commits).toBeGreaterThan(2);
    expect(await renew(null)).toBe(commits);
    for (let n = 1; n <= commits; n += 1) {
      for (const cut of CUTS) {
        const before = environment.countRefreshes();
        await renew(n, cut);
        // Simulates the expiry of a dead process's lease.
        await environment.rows('UPDATE credentials SET lease_until = NULL');
        await environment.expireAccess();
        const used = await environment.useConnection();
        const { made, refused } = environment.countRefreshes();
        expect({ n, cut, used, refused, calls: made - before.made <= 2 }).toEqual({
          n,
          cut,
          used: 'ok',
          refused: 0,
          calls: true,
        });
      }
    }
  } finally {
    await service.close();
    await proxy.close();
  }
});

test('N42: posts that wait for a revoked login are blocked, reported once, and published automatically after the reconnection', async () => {
  const worker = startProgram(programs.cli, environment.env, ['worker'], { ownGroup: true });
  await worker.waitForOutput(/The worker is ready/);
  try {
    await environment.oidc.revokeGrants('maren-holt');
    const before = environment.countRefreshes();
    await environment.expireAccess();
    const post = await environment.client.expect(201, 'POST', '/social/posts', {
      body: { text: 'Waits for its account', targets: [{ connection_id: environment.connectionId }] },
    });
    const statusOf = async () => {
      const now = await environment.client.expect(200, 'GET', `/social/posts/${asText(post['id'])}`);
      return asText(asObjects(now['deliveries'])[0]?.['status']);
    };
    await eventually('it is blocked', async () => ((await statusOf()) === 'blocked' ? true : null));
    const events = await environment.rows<{ data: unknown }>(
      "SELECT data FROM events WHERE type = 'connection.needs_reauth'",
    );
    expect(events).toHaveLength(1);
    expect(asObject(events[0]?.data)).toMatchObject({
      reason: 'grant_ended',
      connection_id: environment.connectionId,
      next: { operation: 'startConnect', arguments: { connection_id: environment.connectionId } },
    });
    expect(environment.countRefreshes().made - before.made).toBe(1);
    expect(await environment.connect()).toBe(environment.connectionId);
    await eventually('it is published', async () => ((await statusOf()) === 'published' ? true : null));
    expect(environment.countRefreshes().made - before.made).toBe(1);
  } finally {
    worker.kill('SIGKILL');
    await worker.exited;
  }
});

test('a disconnection revokes the grant at the platform', async () => {
  const worker = startProgram(programs.cli, environment.env, ['worker'], { ownGroup: true });
  await worker.waitForOutput(/The worker is ready/);
  try {
    const before = environment.oidc.countRevocations();
    await environment.client.sendRequest('DELETE', `/connections/${environment.connectionId}`);
    await eventually('the grant is revoked', () =>
      Promise.resolve(environment.oidc.countRevocations() >= before + 2 || null),
    );
    expect(await environment.rows('SELECT FROM refresh_receipts')).toEqual([]);
    expect(await environment.rows('SELECT FROM credentials')).toEqual([]);
  } finally {
    worker.kill('SIGKILL');
    await worker.exited;
  }
});
