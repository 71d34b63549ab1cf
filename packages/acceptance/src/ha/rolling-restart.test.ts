import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { startS3 } from '@switchboard/media/testing';
import { freePort } from '@switchboard/persistence/testing';
import { countBy } from '../chaos/count-by.js';
import { eventually } from '../support/eventually.js';
import type { Env } from '../support/installation.js';
import { connectMcpHttp } from '../support/mcp-client.js';
import { asObjects, asText } from '../support/json.js';
import { startProgram, type Program } from '../support/program.js';
import { programs } from '../support/programs.js';
import { restClient } from '../support/rest-client.js';
import { sandboxControl } from '../support/sandbox-control.js';
import { connectAccount } from '../support/sandbox-store.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { checkHealth, startTcpSwitch } from './tcp-switch.js';

const HEALTH_CHECK_MS = 200;
/** Several health checks, also on a busy machine. */
const DRAIN_SECONDS = 5;
const PER_SECOND = 100;
/** A machine that is too slow for the rate gets fewer requests, not ever more at once. */
const AT_ONCE = 50;
/** Every n-th request publishes a post, another n-th calls a tool over MCP or creates a profile; the others read. */
const POST_EVERY = 100;
const MCP_EVERY = 20;
const WRITE_EVERY = 20;

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;

/** A process that can be replaced by a new one on the same port. */
interface Slot {
  readonly name: string;
  readonly start: () => Promise<Program>;
  /** Resolves when it may be followed by the next one. */
  readonly untilRouted: () => Promise<unknown>;
  program: Program | null;
}

test('R34: a rolling restart of two REST, two MCP and two worker processes under 100 requests a second drops none', async () => {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-rolling-'));
    closing.unshift(() => rm(folder, { recursive: true, force: true }));
    const s3 = await startS3(path.join(folder, 's3'), 'media');
    closing.unshift(() => s3.close());
    // Serves the sandbox, and is not restarted.
    const platforms = await startSwitchboard({
      name: 'rolling',
      env: {
        SWITCHBOARD_ROLES: 'http',
        LOG_LEVEL: 'warn',
        SWITCHBOARD_MEDIA_S3_BUCKET: 'media',
        SWITCHBOARD_MEDIA_S3_ENDPOINT: s3.url,
        SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
        SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
      },
    });
    closing.unshift(() => platforms.stop());
    const sandbox = sandboxControl(platforms.sandboxUrl);
    const connection = await connectAccount(
      restClient(platforms.url, platforms.keys.full),
      'sandbox_social',
      'maren-holt',
    );
    const [rest, mcp] = [await startTcpSwitch(), await startTcpSwitch()];
    closing.unshift(
      () => rest.close(),
      () => mcp.close(),
    );
    const createSlot = async (name: string, file: string, ready: RegExp, args: string[] = []) => {
      const port = await freePort();
      const env: Env = {
        ...platforms.env,
        PORT: String(port),
        MCP_PORT: String(port),
        SWITCHBOARD_DATA_DIR: path.join(folder, name),
        SWITCHBOARD_SANDBOX_PORT: String(await freePort()),
        SWITCHBOARD_SANDBOX_SOCIAL_BASE_URL: platforms.sandboxUrl,
        SWITCHBOARD_SANDBOX_STORE_BASE_URL: platforms.sandboxUrl,
        SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(platforms.sandboxUrl).host,
        SWITCHBOARD_DRAIN_SECONDS: String(DRAIN_SECONDS),
      };
      const slot: Slot & { readonly port: number } = {
        name,
        port,
        program: null,
        async start() {
          const program = startProgram(file, env, args);
          await program.waitForOutput(ready);
          return program;
        },
        untilRouted: () =>
          args.length > 0
            ? Promise.resolve()
            : eventually(`${name} is ready`, async () => {
                const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
                  headers: { connection: 'close' },
                }).catch(() => null);
                return response?.status === 200 ? true : null;
              }).then(() => sleep(HEALTH_CHECK_MS * 3)),
      };
      slot.program = await slot.start();
      closing.unshift(async () => slot.program?.stop());
      await slot.untilRouted();
      return slot;
    };
    const rests = [1, 2].map((nth) => createSlot(`rest ${nth}`, programs.rest, /REST is ready/));
    const restSlots = await Promise.all(rests);
    const mcpSlots = await Promise.all(
      [1, 2].map((nth) => createSlot(`mcp ${nth}`, programs.mcpHttp, /MCP is ready/)),
    );
    const workerSlots = await Promise.all(
      [1, 2].map((nth) => createSlot(`worker ${nth}`, programs.cli, /The worker is ready/, ['worker'])),
    );
    const ports = (slots: readonly { readonly port: number }[]) => slots.map(({ port }) => port);
    for (const [balancer, slots] of [
      [rest, restSlots],
      [mcp, mcpSlots],
    ] as const) {
      balancer.route(ports(slots));
      const end = checkHealth(balancer, ports(slots), HEALTH_CHECK_MS);
      closing.unshift(async () => end());
    }
    const client = restClient(`http://127.0.0.1:${rest.port}`, platforms.keys.full);
    const agent = await connectMcpHttp({ mcpUrl: `http://127.0.0.1:${mcp.port}/mcp` }, platforms.keys.agent);
    closing.unshift(() => agent.close());

    const dropped: string[] = [];
    const [posts, profiles]: [string[], string[]] = [[], []];
    const note = (what: string) => (error: unknown) => void dropped.push(`${what}: ${inspect(error)}`);
    const send = async (nth: number): Promise<void> => {
      if (nth % POST_EVERY === 0) {
        const text = `Rolling ${nth}`;
        const body = { text, targets: [{ connection_id: connection }] };
        await client.expect(201, 'POST', '/social/posts', { body });
        posts.push(text);
      } else if (nth % MCP_EVERY === 1) {
        const { isError, text } = await agent.call('list_profiles', { limit: 1 });
        if (isError) throw new Error(text);
      } else if (nth % WRITE_EVERY === 2) {
        const name = `p-${nth}-${randomUUID()}`;
        const profile = await client.expect(201, 'POST', '/profiles', { body: { name } });
        profiles.push(asText(profile['id']));
      } else {
        await client.expect(200, 'GET', '/profiles', { query: { limit: 1 } });
      }
    };
    let isOver = false;
    let [sent, held] = [0, 0];
    const startedMs = Date.now();
    const took: number[] = [];
    const running = new Set<Promise<void>>();
    const load = (async () => {
      while (!isOver) {
        const due = Math.floor(((Date.now() - startedMs) * PER_SECOND) / 1000) - held;
        if (running.size >= AT_ONCE) held += due - sent;
        for (; sent < due && running.size < AT_ONCE; sent += 1) {
          const sentMs = performance.now();
          const request = send(sent).catch(note(`request ${sent}`));
          running.add(request);
          void request.finally(() => {
            running.delete(request);
            took.push(performance.now() - sentMs);
          });
        }
        await sleep(5);
      }
      await Promise.all(running);
    })();
    await sleep(3000);
    const exits: Record<string, number> = {};
    for (const slot of [...restSlots, ...mcpSlots, ...workerSlots]) {
      const stoppedMs = Date.now();
      slot.program?.kill('SIGTERM');
      expect(await slot.program?.exited).toEqual({ code: 0, signal: null });
      exits[slot.name] = Date.now() - stoppedMs;
      slot.program = await slot.start();
      await slot.untilRouted();
    }
    await sleep(2000);
    isOver = true;
    await load;
    const seconds = (Date.now() - startedMs) / 1000;

    const published = async () =>
      (await sandbox.ledger('post.created')).map((entry) => asText(entry['text']));
    await eventually('every post is published', async () =>
      new Set(await published()).size >= posts.length ? true : null,
    );
    const found = new Set<string>();
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = { limit: 100, ...(cursor !== '' && { cursor }) };
      const page = await client.expect(200, 'GET', '/profiles', { query });
      for (const { id } of asObjects(page['data'])) found.add(asText(id));
      cursor = page['next_cursor'] as string | null;
    }
    const outcome = {
      requests: sent,
      per_second: Math.round(sent / seconds),
      held_back: held,
      p50_ms: Math.round(percentile(took, 0.5)),
      p99_ms: Math.round(percentile(took, 0.99)),
      dropped: dropped.length,
      exit_ms: exits,
      posts: posts.length,
    };
    process.stderr.write(`${JSON.stringify({ rolling_restart: outcome })}\n`);
    expect(dropped).toEqual([]);
    expect(profiles.filter((id) => !found.has(id))).toEqual([]);
    expect(countBy(await published(), (text) => text)).toEqual(countBy(posts, (text) => text));
    // Without the time for health checks, the limit of R34.
    for (const [name, ms] of Object.entries(exits))
      expect({ name, ms, isInTime: ms < 20_000 + DRAIN_SECONDS * 1000 }).toEqual({
        name,
        ms,
        isInTime: true,
      });
  } finally {
    for (const end of closing) await end();
  }
});
