import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, type Program } from '../support/program.js';
import { programs } from '../support/programs.js';
import { eventually } from '../support/eventually.js';
import { restClient } from '../support/rest-client.js';
import { startTokenStage, type TokenStage } from './token-stage.js';

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
  readonly say: (line: string) => void;
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

const AS_LATENCY_MS = 100;

export async function runTokenChaos(options: TokenChaosOptions): Promise<TokenChaosOutcome> {
  const stage = await startTokenStage(options);
  try {
    const broken: string[] = [];
    const expiries = await expireAll(stage, options, broken);
    const { refused } = stage.refreshes();
    await pauseWorkers(stage, options, broken);
    const killed = await killWorkers(stage, options, broken);
    return { ...expiries, refused, pauses: options.pauses, kills: options.kills, ...killed, broken };
  } finally {
    await stage.close();
  }
}

/** Everybody asks at once for what needs a token that has just ended, again and again. */
async function expireAll(
  stage: TokenStage,
  { processes, callers, expiries, say }: TokenChaosOptions,
  broken: string[],
) {
  const { switchboard, connectionId, oidc } = stage;
  const urls = [switchboard.url];
  while (urls.length < processes) urls.push((await switchboard.startReplica(oidc.env)).url);
  const clients = urls.map((url) => restClient(url, switchboard.keys.full));
  oidc.delayTokens(AS_LATENCY_MS);
  const before = stage.refreshes().made;
  const tookMs: number[] = [];
  let failures = 0;
  for (let expiry = 1; expiry <= expiries; expiry++) {
    await stage.end();
    const ask = async (client: (typeof clients)[number]) => {
      const beganMs = performance.now();
      const answer = await client.get(`/connections/${connectionId}`, { query: { refresh: true } });
      tookMs.push(performance.now() - beganMs);
      if (answer.status !== 200 || answer.json['status'] !== 'active') failures += 1;
    };
    await Promise.all(clients.flatMap((client) => Array.from({ length: callers }, () => ask(client))));
    const made = stage.refreshes().made - before;
    if (made !== expiry) broken.push(`${made} refreshes after ${expiry} expiries`);
    if (expiry % 20 === 0) say(`${expiry} expiries, ${made} refreshes.`);
    if (broken.length > 0) break;
  }
  oidc.delayTokens(0);
  const { made, refused } = stage.refreshes();
  if (refused > 0) broken.push(`${refused} refreshes were refused`);
  if (failures > 0) broken.push(`${failures} callers got no answer`);
  const p99 = tookMs.sort((a, b) => a - b)[Math.ceil(tookMs.length * 0.99) - 1] ?? 0;
  return { expiries, refreshes: made - before, failures, p99_ms: Math.round(p99) };
}

/** Five minutes before its end, at a life of an hour: due, and with time for who sleeps. */
const DUE = `UPDATE credentials SET renewed_at = now() - interval '55 minutes', access_expires_at = now() + interval '5 minutes'`;
const LEASE_OVER = `UPDATE credentials SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL`;

async function startWorker(stage: TokenStage): Promise<Program> {
  const worker = startProgram(programs.cli, stage.env, ['worker'], { ownGroup: true });
  await worker.says(/The worker is ready/);
  return worker;
}

async function pauseWorkers(stage: TokenStage, { pauses, say }: TokenChaosOptions, broken: string[]) {
  if (pauses === 0) return;
  const worker = await startWorker(stage);
  try {
    for (let pause = 1; pause <= pauses; pause++) {
      const [before, generation] = [stage.refreshes(), await stage.generation()];
      const stopped = Promise.withResolvers<undefined>();
      stage.oidc.faultToken({
        when: 'after',
        answers: true,
        act: () => {
          worker.kill('SIGSTOP');
          stopped.resolve(undefined);
        },
      });
      await stage.rows(DUE);
      await stopped.promise;
      await stage.rows(LEASE_OVER);
      for (let look = 0; look < 3; look++) {
        await stage.renew();
        const used = await stage.use();
        if (used !== 'ok') broken.push(`pause ${pause}: while one slept another heard ${used}`);
      }
      worker.kill('SIGCONT');
      await eventually('the sleeper has brought its token', async () =>
        (await stage.generation()) === generation + 1 ? true : null,
      );
      for (let more = 0; more < 3; more++) {
        await stage.end();
        const used = await stage.use();
        if (used !== 'ok') broken.push(`pause ${pause}: after it a renewal was ${used}`);
      }
      const after = stage.refreshes();
      if (after.refused > before.refused) broken.push(`pause ${pause}: a refresh was refused`);
      if (after.made !== before.made + 4)
        broken.push(`pause ${pause}: ${after.made - before.made} refreshes and not four`);
      if (pause % 10 === 0) say(`${pause} pauses.`);
    }
  } finally {
    worker.kill('SIGKILL');
    await worker.ended;
  }
}

/** Milliseconds from the platform's answer to the kill, in turn: before the receipt, about it, and after. */
const KILLED_AFTER_MS = [0, 8, 150, 32, 16, 64, 250];

async function killWorkers(stage: TokenStage, { kills, say }: TokenChaosOptions, broken: string[]) {
  const counts = { recovered: 0, lost: 0 };
  const told = async () => {
    const [row] = await stage.rows<{ lost: number }>(
      `SELECT count(*)::int AS lost FROM events
       WHERE type = 'connection.needs_reauth' AND data->>'reason' = 'refresh_lost'`,
    );
    return row?.lost ?? 0;
  };
  for (let kill = 1; kill <= kills; kill++) {
    const [before, generation, toldBefore] = [stage.refreshes(), await stage.generation(), await told()];
    const worker = await startWorker(stage);
    stage.oidc.faultToken({
      when: 'after',
      answers: true,
      act: (response) =>
        void response.once('finish', () =>
          setTimeout(() => worker.kill('SIGKILL'), KILLED_AFTER_MS[kill % KILLED_AFTER_MS.length]),
        ),
    });
    await stage.rows(DUE);
    await worker.ended;
    // What it had sent to the database may still come about.
    await sleep(300);
    // As though the time had passed until its lease and the token had ended.
    await stage.rows(LEASE_OVER);
    const [receipt] = await stage.rows<object>('SELECT FROM refresh_receipts');
    const written = receipt !== undefined || (await stage.generation()) > generation;
    await stage.rows('UPDATE credentials SET access_expires_at = now()');
    if (!written) await stage.renew();
    for (let look = 0; look < 3; look++) {
      await stage.renew();
      await sleep(20);
    }
    const calls = stage.refreshes().made - before.made;
    const lost = (await told()) - toldBefore;
    const used = await stage.use();
    if (written) {
      counts.recovered += 1;
      if (used !== 'ok' || lost > 0) broken.push(`kill ${kill}: what was received was not found: ${used}`);
    } else {
      counts.lost += 1;
      if (used !== 'connection.needs_reauth' || lost !== 1 || calls !== 2)
        broken.push(`kill ${kill}: ${used}, told ${lost} times after ${calls} calls`);
      if ((await stage.connect()) !== stage.connectionId) broken.push(`kill ${kill}: another connection`);
    }
    if (kill % 10 === 0) say(`${kill} kills.`);
  }
  return counts;
}
