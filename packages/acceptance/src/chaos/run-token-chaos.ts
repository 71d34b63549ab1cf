import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, type Program } from '../support/program.js';
import { programs } from '../support/programs.js';
import { eventually } from '../support/eventually.js';
import { restClient } from '../support/rest-client.js';
import { startTokenChaosEnvironment, type TokenChaosEnvironment } from './start-token-chaos-environment.js';

export interface TokenChaosOptions {
  readonly name: string;
  /** A separate database instead of one on the test server. */
  readonly databaseUrl?: string | undefined;
  readonly processes: number;
  readonly callers: number;
  readonly expiries: number;
  /**
   * The number of times a worker is stopped beyond its lease, between the platform issuing the token and the
   * worker receiving it.
   */
  readonly pauses: number;
  /** The number of times a worker is killed around the time it receives the response. */
  readonly kills: number;
  readonly log: (line: string) => void;
}

export interface TokenChaosOutcome {
  readonly expiries: number;
  readonly refreshes: number;
  /** The number of refresh requests that the platform rejected without a preceding kill. */
  readonly refused: number;
  /** Calls that failed. */
  readonly failures: number;
  readonly p99_ms: number;
  readonly pauses: number;
  readonly kills: number;
  /** After a kill: the received token was recovered, or its loss was reported once. */
  readonly recovered: number;
  readonly lost: number;
  readonly broken: readonly string[];
}

const TOKEN_LATENCY_MS = 100;

export async function runTokenChaos(options: TokenChaosOptions): Promise<TokenChaosOutcome> {
  const environment = await startTokenChaosEnvironment(options);
  try {
    const broken: string[] = [];
    const expiries = await expireRepeatedly(environment, options, broken);
    const { refused } = environment.countRefreshes();
    await pauseWorkers(environment, options, broken);
    const killed = await killWorkers(environment, options, broken);
    return { ...expiries, refused, pauses: options.pauses, kills: options.kills, ...killed, broken };
  } finally {
    await environment.close();
  }
}

/** All callers concurrently request an operation that needs a token that has just expired, repeatedly. */
async function expireRepeatedly(
  environment: TokenChaosEnvironment,
  { processes, callers, expiries, log }: TokenChaosOptions,
  broken: string[],
) {
  const { switchboard, connectionId, oidc } = environment;
  const urls = [switchboard.url];
  while (urls.length < processes) urls.push((await switchboard.startReplica(oidc.env)).url);
  const clients = urls.map((url) => restClient(url, switchboard.keys.full));
  oidc.delayTokens(TOKEN_LATENCY_MS);
  const before = environment.countRefreshes().made;
  const tookMs: number[] = [];
  let failures = 0;
  for (let expiry = 1; expiry <= expiries; expiry++) {
    await environment.expireAccess();
    const requestConnection = async (client: (typeof clients)[number]) => {
      const startedMs = performance.now();
      const answer = await client.get(`/connections/${connectionId}`, { query: { refresh: true } });
      tookMs.push(performance.now() - startedMs);
      if (answer.status !== 200 || answer.json['status'] !== 'active') failures += 1;
    };
    await Promise.all(
      clients.flatMap((client) => Array.from({ length: callers }, () => requestConnection(client))),
    );
    const made = environment.countRefreshes().made - before;
    if (made !== expiry) broken.push(`${made} refreshes after ${expiry} expiries`);
    if (expiry % 20 === 0) log(`${expiry} expiries, ${made} refreshes.`);
    if (broken.length > 0) break;
  }
  oidc.delayTokens(0);
  const { made, refused } = environment.countRefreshes();
  if (refused > 0) broken.push(`${refused} refreshes were refused`);
  if (failures > 0) broken.push(`${failures} callers received no response`);
  const p99 = tookMs.sort((a, b) => a - b)[Math.ceil(tookMs.length * 0.99) - 1] ?? 0;
  return { expiries, refreshes: made - before, failures, p99_ms: Math.round(p99) };
}

/**
 * Five minutes before expiry, with a lifetime of one hour: due for refresh, with time left for a paused
 * worker.
 */
const DUE = `UPDATE credentials SET renewed_at = now() - interval '55 minutes', access_expires_at = now() + interval '5 minutes'`;
const LEASE_OVER = `UPDATE credentials SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL`;

async function startWorker(environment: TokenChaosEnvironment): Promise<Program> {
  const worker = startProgram(programs.cli, environment.env, ['worker'], { ownGroup: true });
  await worker.waitForOutput(/The worker is ready/);
  return worker;
}

async function pauseWorkers(
  environment: TokenChaosEnvironment,
  { pauses, log }: TokenChaosOptions,
  broken: string[],
) {
  if (pauses === 0) return;
  const worker = await startWorker(environment);
  try {
    for (let pause = 1; pause <= pauses; pause++) {
      const [before, generation] = [environment.countRefreshes(), await environment.readGeneration()];
      const stopped = Promise.withResolvers<undefined>();
      environment.oidc.injectTokenFault({
        when: 'after',
        sendsOwnResponse: true,
        respond: () => {
          worker.kill('SIGSTOP');
          stopped.resolve(undefined);
        },
      });
      await environment.rows(DUE);
      await stopped.promise;
      await environment.rows(LEASE_OVER);
      for (let look = 0; look < 3; look++) {
        await environment.renewConnection();
        const used = await environment.useConnection();
        if (used !== 'ok') broken.push(`pause ${pause}: during the pause another process received ${used}`);
      }
      worker.kill('SIGCONT');
      await eventually('the resumed worker has stored its token', async () =>
        (await environment.readGeneration()) === generation + 1 ? true : null,
      );
      for (let more = 0; more < 3; more++) {
        await environment.expireAccess();
        const used = await environment.useConnection();
        if (used !== 'ok') broken.push(`pause ${pause}: afterwards a refresh was ${used}`);
      }
      const after = environment.countRefreshes();
      if (after.refused > before.refused) broken.push(`pause ${pause}: a refresh was rejected`);
      if (after.made !== before.made + 4)
        broken.push(`pause ${pause}: ${after.made - before.made} refreshes instead of four`);
      if (pause % 10 === 0) log(`${pause} pauses.`);
    }
  } finally {
    worker.kill('SIGKILL');
    await worker.exited;
  }
}

/**
 * Milliseconds from the platform's response to the kill, in rotation: before, around and after the write of
 * the receipt.
 */
const KILLED_AFTER_MS = [0, 8, 150, 32, 16, 64, 250];

async function killWorkers(
  environment: TokenChaosEnvironment,
  { kills, log }: TokenChaosOptions,
  broken: string[],
) {
  const counts = { recovered: 0, lost: 0 };
  const countLostNotices = async () => {
    const [row] = await environment.rows<{ lost: number }>(
      `SELECT count(*)::int AS lost FROM events
       WHERE type = 'connection.needs_reauth' AND data->>'reason' = 'refresh_lost'`,
    );
    return row?.lost ?? 0;
  };
  for (let kill = 1; kill <= kills; kill++) {
    const [before, generation, lostBefore] = [
      environment.countRefreshes(),
      await environment.readGeneration(),
      await countLostNotices(),
    ];
    const worker = await startWorker(environment);
    environment.oidc.injectTokenFault({
      when: 'after',
      sendsOwnResponse: true,
      respond: (response) =>
        void response.once('finish', () =>
          setTimeout(() => worker.kill('SIGKILL'), KILLED_AFTER_MS[kill % KILLED_AFTER_MS.length]),
        ),
    });
    await environment.rows(DUE);
    await worker.exited;
    // Statements already sent to the database may still commit.
    await sleep(300);
    // Simulates the expiry of the lease and of the token.
    await environment.rows(LEASE_OVER);
    const [receipt] = await environment.rows<object>('SELECT FROM refresh_receipts');
    const isReceiptStored = receipt !== undefined || (await environment.readGeneration()) > generation;
    await environment.rows('UPDATE credentials SET access_expires_at = now()');
    if (!isReceiptStored) await environment.renewConnection();
    for (let look = 0; look < 3; look++) {
      await environment.renewConnection();
      await sleep(20);
    }
    const calls = environment.countRefreshes().made - before.made;
    const lost = (await countLostNotices()) - lostBefore;
    const used = await environment.useConnection();
    if (isReceiptStored) {
      counts.recovered += 1;
      if (used !== 'ok' || lost > 0)
        broken.push(`kill ${kill}: the received token was not recovered: ${used}`);
    } else {
      counts.lost += 1;
      if (used !== 'connection.needs_reauth' || lost !== 1 || calls !== 2)
        broken.push(`kill ${kill}: ${used}, ${lost} loss events after ${calls} calls`);
      if ((await environment.connect()) !== environment.connectionId)
        broken.push(`kill ${kill}: the connection ID changed`);
    }
    if (kill % 10 === 0) log(`${kill} kills.`);
  }
  return counts;
}
