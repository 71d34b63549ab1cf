import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { emptyTestDatabase } from '@switchboard/persistence/testing';
import { countBy } from '../chaos/count-by.js';
import { queryRows } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { Env } from '../support/installation.js';
import { asObject, asObjects, asText, type JsonObject } from '../support/json.js';
import { startProgram } from '../support/program.js';
import { programs } from '../support/programs.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { sandboxControl } from '../support/sandbox-control.js';
import { connectAccount, refundableOrders } from '../support/sandbox-store.js';
import { startSwitchboard } from '../support/start-switchboard.js';

const run = promisify(execFile);
const recover = fileURLToPath(new URL('../../../../scripts/recover.sh', import.meta.url));
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const POSTERS = 3;
const TOKEN_SECONDS = 60;
/** The original renews a token of a minute during this time; the restored copy would as well. */
const BESIDE_MS = 75_000;
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();

/**
 * The first REST server is the original's, and serves the sandbox: the platforms, which outlive the original. The original's
 * worker is the machine that is lost.
 */
test('the recovery of a busy installation beside its living original: nothing is published, refunded or renewed twice', async () => {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-busy-'));
    closing.unshift(() => rm(folder, { recursive: true, force: true }));
    const original = await startSwitchboard({
      name: 'busy_backup',
      env: { SWITCHBOARD_ROLES: 'http', LOG_LEVEL: 'warn' },
    });
    closing.unshift(() => original.stop());
    const worker = startProgram(programs.cli, original.env, ['worker']);
    closing.unshift(() => worker.stop());
    await worker.waitForOutput(/The worker is ready/);
    const sandbox = sandboxControl(original.sandboxUrl);
    const client = restClient(original.url, original.keys.full);
    const steady = await connectAccount(client, 'sandbox_social', 'maren-holt');
    const store = await connectAccount(client, 'sandbox_store', 'alder-oak');
    const orders = [...(await refundableOrders(client, store))];
    await sandbox.settings({ access_token_seconds: TOKEN_SECONDS });
    const rotating = await connectAccount(client, 'sandbox_social', 'tidal-museum');

    const create = (at: RestClient, text: string, more: object = {}): Promise<JsonObject> =>
      at.expect(201, 'POST', '/social/posts', {
        body: { text, targets: [{ connection_id: steady }], ...more },
      });
    const read = (at: RestClient, post: JsonObject) =>
      at.expect(200, 'GET', `/social/posts/${asText(post['id'])}`);
    let isOver = false;
    const posts: JsonObject[] = [];
    const refunded: string[] = [];
    const publish = async (poster: number) => {
      for (let nth = 0; !isOver; nth += 1) {
        // Some are due at once, some during the backup, some after the original is lost.
        const inMs = [0, 4000, 20_000][nth % 3] ?? 0;
        const scheduled = inMs > 0 ? { scheduled_at: new Date(Date.now() + inMs).toISOString() } : {};
        posts.push(await create(client, `Busy ${poster}-${nth}`, scheduled));
        await sleep(400);
      }
    };
    const refund = async () => {
      for (let order = orders.pop(); order && !isOver; order = orders.pop()) {
        await client.expect(201, 'POST', `/ecommerce/orders/${order.id}/refund`, {
          body: { amount: '0.01' },
        });
        refunded.push(order.externalId);
        await sleep(700);
      }
    };
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(GIF)]), 'point.gif');
    const uploaded = await fetch(`${original.url}/v1/social/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${original.keys.full}` },
      body: form,
    });
    const media = asText(((await uploaded.json()) as JsonObject)['id']);
    const withMedia = await create(client, 'With an image', {
      media: [{ media_id: media }],
      scheduled_at: TOMORROW,
    });

    const load = Promise.all([...Array.from({ length: POSTERS }, (_, nth) => publish(nth)), refund()]);
    await sleep(8000);
    const file = path.join(folder, 'backup.swb');
    const startedMs = Date.now();
    const command = startProgram(programs.cli, original.env, ['backup', file, '--media', '--json']);
    expect((await command.exited).code).toBe(0);
    const backupMs = Date.now() - startedMs;
    expect(JSON.parse(command.stdout())).toMatchObject({ media: { included: true } });
    await sleep(4000);

    const databaseUrl = await emptyTestDatabase('busy_restored');
    const dataDir = path.join(folder, 'data');
    const restoredEnv: Env = {
      ...original.env,
      DATABASE_URL: databaseUrl,
      SWITCHBOARD_DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
    };
    const shell = { env: { PATH: process.env['PATH'] ?? '', ...restoredEnv } };
    const restoring = Date.now();
    const printed = await run(recover, ['restore', file], shell);
    const restoreMs = Date.now() - restoring;
    expect(printed.stdout).toMatch(/^== 1\. Verify[^]+== 4\. Manual steps/m);
    expect((await readdir(path.join(dataDir, 'media'))).length).toBeGreaterThan(0);
    const { url } = await original.startReplica({
      DATABASE_URL: databaseUrl,
      SWITCHBOARD_DATA_DIR: dataDir,
      SWITCHBOARD_ROLES: 'http,worker',
    });
    const restored = restClient(url, original.keys.full);
    expect(await restored.expect(200, 'GET', '/me')).toMatchObject({ pause: { cause: 'restored_backup' } });

    // Both run. The copy holds everything, and uses no refresh token.
    const generationAt = async (at: string) => {
      const rows = await queryRows<{ generation: number }>(
        at,
        `SELECT generation FROM credentials WHERE connection_id = '${rotating}'`,
      );
      return rows[0]?.generation ?? 0;
    };
    const before = await generationAt(databaseUrl);
    await sleep(BESIDE_MS);
    isOver = true;
    await load;
    const heldGeneration = await generationAt(databaseUrl);
    const renewedByOriginal = (await generationAt(original.databaseUrl)) - before;
    expect(heldGeneration).toBe(before);
    expect(renewedByOriginal).toBeGreaterThan(0);
    const statusOf = async (at: RestClient) =>
      (await at.expect(200, 'GET', `/connections/${rotating}`))['status'];
    expect([await statusOf(client), await statusOf(restored)]).toEqual(['active', 'active']);
    expect(await sandbox.ledger('token.revoked')).toEqual([]);
    const published = async () => await sandbox.ledger('post.created');
    const deliveriesAt = async (at: string) =>
      new Set((await queryRows<{ id: string }>(at, 'SELECT id FROM deliveries')).map(({ id }) => id));
    const [known, own] = [await deliveriesAt(databaseUrl), await deliveriesAt(original.databaseUrl)];
    expect([...known].filter((id) => !own.has(id))).toEqual([]);

    // The machine is lost.
    worker.kill('SIGKILL');
    await worker.exited;
    const refused = spawn(recover, ['resume'], shell);
    refused.stdin.end('no\n');
    expect(await new Promise((resolve) => refused.on('exit', resolve))).toBe(1);
    expect(await restored.expect(200, 'GET', '/me')).toMatchObject({ pause: { cause: 'restored_backup' } });
    const resuming = spawn(recover, ['resume'], shell);
    resuming.stdin.end('lost\n');
    expect(await new Promise((resolve) => resuming.on('exit', resolve))).toBe(0);
    const resumedMs = Date.now();
    await eventually('every post and refund of the backup is settled', async () => {
      const rows = await queryRows(
        databaseUrl,
        `SELECT FROM deliveries WHERE status NOT IN ('published', 'needs_review', 'failed') AND scheduled_at < now()
         UNION ALL SELECT FROM refunds WHERE status IN ('pending', 'unknown')`,
      );
      await sleep(500);
      return rows.length === 0 ? true : null;
    });
    const settledMs = Date.now() - resumedMs;
    // What the original rotated after the backup has to be connected again: the copy's token is spent.
    await eventually('the rotated account needs its owner', async () =>
      (await statusOf(restored)) === 'needs_reauth' ? true : null,
    );
    // The image of the backup is published.
    await restored.expect(200, 'PATCH', `/social/posts/${asText(withMedia['id'])}`, {
      body: { scheduled_at: new Date(Date.now() + 1000).toISOString() },
    });
    await eventually('the post with the image is published', async () =>
      (await read(restored, withMedia))['status'] === 'published' ? true : null,
    );

    const statuses = countBy(
      await queryRows<{ status: string }>(databaseUrl, 'SELECT status FROM deliveries'),
      ({ status }) => status,
    );
    const twice = (names: readonly string[]) =>
      Object.entries(countBy(names, (name) => name)).filter(([, count]) => count > 1);
    const texts = (await published()).map((entry) => asText(entry['text']));
    const made = (await sandbox.ledger('refund.created')).map((entry) => asText(entry['order_id']));
    process.stderr.write(
      `${JSON.stringify({
        busy_restore: {
          posts: posts.length,
          in_the_backup: known.size,
          refunds: refunded.length,
          backup_ms: backupMs,
          restore_ms: restoreMs,
          settled_ms: settledMs,
          renewals_of_the_original: renewedByOriginal,
          statuses,
        },
      })}\n`,
    );
    expect({ posts: twice(texts), refunds: twice(made) }).toEqual({ posts: [], refunds: [] });
    expect(statuses).toEqual({ published: known.size });
    expect(asObject(asObjects((await read(restored, withMedia))['deliveries'])[0])['status']).toBe(
      'published',
    );
  } finally {
    for (const end of closing) await end();
  }
});
