import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startService } from '@switchboard/bootstrap';
import { startTokenStage, type TokenStage } from './chaos/token-stage.js';
import { startCommitProxy, type Cut } from './support/commit-proxy.js';
import { eventually } from './support/eventually.js';
import { object, objects, text } from './support/json.js';
import { startProgram } from './support/program.js';
import { programs } from './support/programs.js';

jest.setTimeout(240_000);

let stage: TokenStage;
beforeAll(async () => {
  stage = await startTokenStage({ name: 'token_life' });
});
afterAll(() => stage?.close());

const CUTS: readonly Cut[] = ['before the server commits', 'after the server has committed'];

test('R08: a process that loses its database at any commit of a renewal loses no token, and no renewal is refused', async () => {
  const proxy = await startCommitProxy(stage.switchboard.databaseUrl);
  const through = {
    DATABASE_URL: proxy.url,
    SWITCHBOARD_DIRECT_DATABASE_URL: stage.switchboard.databaseUrl,
    LOG_LEVEL: 'silent',
  };
  const service = await startService({ app: 'cli', logTo: 'stderr', env: { ...stage.env, ...through } });
  try {
    const renew = async (commit: number | null, cut?: Cut) => {
      const { ports } = service;
      const connection = await ports.connections.find(stage.operator.workspaceId, stage.connectionId);
      const credential = await ports.credentials.find(stage.operator.workspaceId, stage.connectionId);
      if (!connection || !credential) throw new Error('the connection is gone');
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
        const before = stage.refreshes();
        await renew(n, cut);
        // As though the time had passed for which a dead process's lease holds.
        await stage.rows('UPDATE credentials SET lease_until = NULL');
        await stage.end();
        const used = await stage.use();
        const { made, refused } = stage.refreshes();
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

test('N42: what waits for a dead login is blocked, told once with the posts, and goes out by itself after it was connected again', async () => {
  const worker = startProgram(programs.cli, stage.env, ['worker'], { ownGroup: true });
  await worker.says(/The worker is ready/);
  try {
    await stage.oidc.revokeGrants('maren-holt');
    const before = stage.refreshes();
    await stage.end();
    const post = await stage.client.expect(201, 'POST', '/social/posts', {
      body: { text: 'Waits for its account', targets: [{ connection_id: stage.connectionId }] },
    });
    const statusOf = async () => {
      const now = await stage.client.expect(200, 'GET', `/social/posts/${text(post['id'])}`);
      return text(objects(now['deliveries'])[0]?.['status']);
    };
    await eventually('it is blocked', async () => ((await statusOf()) === 'blocked' ? true : null), 30_000);
    const told = await stage.rows<{ data: unknown }>(
      "SELECT data FROM events WHERE type = 'connection.needs_reauth'",
    );
    expect(told).toHaveLength(1);
    expect(object(told[0]?.data)).toMatchObject({
      reason: 'grant_ended',
      connection_id: stage.connectionId,
      next: { operation: 'startConnect', arguments: { connection_id: stage.connectionId } },
    });
    expect(stage.refreshes().made - before.made).toBe(1);
    expect(await stage.connect()).toBe(stage.connectionId);
    await eventually('it is out', async () => ((await statusOf()) === 'published' ? true : null), 30_000);
    expect(stage.refreshes().made - before.made).toBe(1);
  } finally {
    worker.kill('SIGKILL');
    await worker.ended;
  }
});

test('a disconnection gives back at the platform what was granted', async () => {
  const worker = startProgram(programs.cli, stage.env, ['worker'], { ownGroup: true });
  await worker.says(/The worker is ready/);
  try {
    const before = stage.oidc.revocations();
    await stage.client.ask('DELETE', `/connections/${stage.connectionId}`);
    await eventually('it is given back', () =>
      Promise.resolve(stage.oidc.revocations() >= before + 2 || null),
    );
    expect(await stage.rows('SELECT FROM refresh_receipts')).toEqual([]);
    expect(await stage.rows('SELECT FROM credentials')).toEqual([]);
  } finally {
    worker.kill('SIGKILL');
    await worker.ended;
  }
});
