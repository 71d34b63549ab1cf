import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, type Program } from '../support/program.js';
import { programs } from '../support/programs.js';
import { eventually } from '../support/eventually.js';
import { restClient } from '../support/rest-client.js';
import { startTokenChaosEnvironment, type TokenChaosEnvironment } from './start-token-chaos-environment.js';

export interface TokenChaosOptions {
  readonly name: string;
  /** A database of its own instead of one of the test server. */
  readonly databaseUrl?: string | undefined;
  readonly processes: number;
  readonly callers: number;
  readonly expiries: number;
  /** How often a worker is stopped beyond its lease, when the platform has issued and before it is told. */
  readonly pauses: number;
  /** How often a worker is killed about when it is told. */
  readonly kills: number;
  readonly log: (line: string) => void;
}

export interface TokenChaosOutcome {
  readonly expiries: number;
  readonly refreshes: number;
  /** How often the platform answered a renewal with a refusal, where nobody had been killed. */
  readonly refused: number;
  /** Answers to callers that were none. */
  readonly failures: number;
  readonly p99_ms: number;
  readonly pauses: number;
  readonly kills: number;
  /** After a kill: what had been received was found again, or was lost and told once. */
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

/** Everybody asks at once for what needs a token that has just ended, again and again. */
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
    await Promise.all(clients.flatMap((client) => Array.from({ length: callers }, () => requestConnection(client))));
    const made = environment.countRefreshes().made - before;
    if (made !== expiry) broken.push(`${made} refreshes after ${expiry} expiries`);
    if (expiry % 20 === 0) log(`${expiry} expiries, ${made} refreshes.`);
    if (broken.length > 0) break;
  }
  oidc.delayTokens(0);
  const { made, refused } = environment.countRefreshes();
  if (refused > 0) broken.push(`${refused} refreshes were refused`);
  if (failures > 0) broken.push(`${failures} callers got no answer`);
  const p99 = tookMs.sort((a, b) => a - b)[Math.ceil(tookMs.length * 0.99) - 1] ?? 0;
  return { expiries, refreshes: made - before, failures, p99_ms: Math.round(p99) };
}

/** Five minutes before its end, at a life of an hour: due, and with time for who sleeps. */
const DUE = `UPDATE credentials SET renewed_at = now() - interval '55 minutes', access_expires_at = now() + interval '5 minutes'`;
const LEASE_OVER = `UPDATE credentials SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL`;

async function startWorker(environment: TokenChaosEnvironment): Promise<Program> {
  const worker = startProgram(programs.cli, environment.env, ['worker'], { ownGroup: true });
  await worker.waitForOutput(/The worker is ready/);
  return worker;
}

async function pauseWorkers(environment: TokenChaosEnvironment, { pauses, log }: TokenChaosOptions, broken: string[]) {
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
        if (used !== 'ok') broken.push(`pause ${pause}: while one slept another heard ${used}`);
      }
      worker.kill('SIGCONT');
      await eventually('the sleeper has brought its token', async () =>
        (await environment.readGeneration()) === generation + 1 ? true : null,
      );
      for (let more = 0; more < 3; more++) {
        await environment.expireAccess();
        const used = await environment.useConnection();
        if (used !== 'ok') broken.push(`pause ${pause}: after it a renewal was ${used}`);
      }
      const after = environment.countRefreshes();
      if (after.refused > before.refused) broken.push(`pause ${pause}: a refresh was refused`);
      if (after.made !== before.made + 4)
        broken.push(`pause ${pause}: ${after.made - before.made} refreshes and not four`);
      if (pause % 10 === 0) log(`${pause} pauses.`);
    }
  } finally {
    worker.kill('SIGKILL');
    await worker.exited;
  }
}

/** Milliseconds from the platform's answer to the kill, in turn: before the receipt, about it, and after. */
const KILLED_AFTER_MS = [0, 8, 150, 32, 16, 64, 250];

async function killWorkers(environment: TokenChaosEnvironment, { kills, log }: TokenChaosOptions, broken: string[]) {
  const counts = { recovered: 0, lost: 0 };
  const countLostNotices = async () => {
    const [row] = await environment.rows<{ lost: number }>(
      `SELECT count(*)::int AS lost FROM events
       WHERE type = 'connection.needs_reauth' AND data->>'reason' = 'refresh_lost'`,
    );
    return row?.lost ?? 0;
  };
  for (let kill = 1; kill <= kills; kill++) {
    const [before, generation, lostBefore] = [environment.countRefreshes(), await environment.readGeneration(), await countLostNotices()];
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
    // What it had sent to the database may still come about.
    await sleep(300);
    // As though the time had passed until its lease and the token had ended.
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
      if (used !== 'ok' || lost > 0) broken.push(`kill ${kill}: what was received was not found: ${used}`);
    } else {
      counts.lost += 1;
      if (used !== 'connection.needs_reauth' || lost !== 1 || calls !== 2)
        broken.push(`kill ${kill}: ${used}, told ${lost} times after ${calls} calls`);
      if ((await environment.connect()) !== environment.connectionId) broken.push(`kill ${kill}: another connection`);
    }
    if (kill % 10 === 0) log(`${kill} kills.`);
  }
  return counts;
}
