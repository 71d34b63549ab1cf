import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@switchboard/bootstrap';
import { migrate } from '@switchboard/persistence/migrate';
import { openChaosDatabase } from './database.js';
import { runApprovalChaos } from './run-approval-chaos.js';
import { runEventChaos } from './run-event-chaos.js';
import { runRefundChaos } from './run-refund-chaos.js';
import { runChaos } from './run-chaos.js';
import { runTokenChaos } from './run-token-chaos.js';
import { runVaultChaos } from './run-vault-chaos.js';
import { runWebhookChaos } from './run-webhook-chaos.js';

/**
 * `posts [--seed n] [--posts n]`, `refunds [--seed n] [--orders n] [--requests n]`, `tokens [--expiries n]
 * [--pauses n] [--kills n]`, `vault`, `events [--seed n] [--events n]`,
 * `webhooks [--events n]` and `approvals [--seed n] [--approvals n]`. Each run ends with a line of JSON, and with exit code 1 when an
 * invariant was violated.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    posts: { type: 'string' },
    orders: { type: 'string' },
    requests: { type: 'string' },
    expiries: { type: 'string' },
    pauses: { type: 'string' },
    kills: { type: 'string' },
    events: { type: 'string' },
    approvals: { type: 'string' },
    output: { type: 'boolean' },
  },
});
const [runName = 'posts'] = positionals;
const runs: Readonly<Record<string, () => Promise<{ readonly broken: readonly unknown[] }>>> = {
  posts,
  refunds,
  tokens,
  vault,
  events,
  webhooks,
  approvals,
};
const run = runs[runName];
if (!run) {
  process.stderr.write(`Unknown run ${runName}. Available runs: ${Object.keys(runs).join(', ')}.\n`);
  process.exit(2);
}
const log = (line: string) => void process.stderr.write(`${line}\n`);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
const outcome = await run();
process.stdout.write(`${JSON.stringify({ chaos: runName, ...outcome })}\n`);
process.exitCode = outcome.broken.length > 0 ? 1 : 0;

async function posts() {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
  log(`Seed ${seed}: pass --seed ${seed} to repeat this run.`);
  const stateDir = path.join(root, '.switchboard/chaos');
  await mkdir(stateDir, { recursive: true });
  return runChaos({
    seed,
    stateDir,
    log,
    posts: Number(values.posts ?? 1000),
    workers: 4,
    killEveryMs: 2000,
    databaseRestarts: 4,
    pauses: true,
    perSecond: 10,
    chaosMs: 180_000,
    ...(values.output && { onOutput: (text: string) => log(text.trim()) }),
  });
}

async function refunds() {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
  log(`Seed ${seed}: pass --seed ${seed} to repeat this run.`);
  const stateDir = path.join(root, '.switchboard/chaos');
  await mkdir(stateDir, { recursive: true });
  return runRefundChaos({
    seed,
    stateDir,
    log,
    orders: Number(values.orders ?? 500),
    requests: Number(values.requests ?? 20),
    processes: 4,
    killEveryMs: 8000,
    ordersAtOnce: 6,
    skipsWaiting: false,
    ...(values.output && { onOutput: (text: string) => log(text.trim()) }),
  });
}

async function tokens() {
  const parseNumber = (value: string | undefined, otherwise: number) => Number(value ?? otherwise);
  const stateDir = path.join(root, '.switchboard/chaos');
  await mkdir(stateDir, { recursive: true });
  const database = await openChaosDatabase(stateDir, 'chaos_tokens');
  try {
    return await runTokenChaos({
      name: 'chaos_tokens',
      databaseUrl: database.url,
      processes: 4,
      callers: 50,
      log,
      expiries: parseNumber(values.expiries, 200),
      pauses: parseNumber(values.pauses, 100),
      kills: parseNumber(values.kills, 30),
    });
  } finally {
    await database.close();
  }
}

async function events() {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
  log(`Seed ${seed}: pass --seed ${seed} to repeat this run.`);
  const stateDir = path.join(root, '.switchboard/chaos');
  await mkdir(stateDir, { recursive: true });
  const database = await openChaosDatabase(stateDir, 'chaos_events');
  try {
    return await runEventChaos({
      name: 'chaos_events',
      seed,
      databaseUrl: database.url,
      events: Number(values.events ?? 100_000),
      perSecond: 500,
      heldMaxMs: 5000,
      log,
    });
  } finally {
    await database.close();
  }
}

async function webhooks() {
  const stateDir = path.join(root, '.switchboard/chaos');
  await mkdir(stateDir, { recursive: true });
  const database = await openChaosDatabase(stateDir, 'chaos_webhooks');
  try {
    return await runWebhookChaos({
      name: 'chaos_webhooks',
      databaseUrl: database.url,
      events: Number(values.events ?? 10_000),
      endpoints: 5,
      workers: 3,
      killEveryMs: 5000,
      log,
    });
  } finally {
    await database.close();
  }
}

async function approvals() {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
  log(`Seed ${seed}: pass --seed ${seed} to repeat this run.`);
  const stateDir = path.join(root, '.switchboard/chaos');
  await mkdir(stateDir, { recursive: true });
  const database = await openChaosDatabase(stateDir, 'chaos_approvals');
  try {
    return await runApprovalChaos({
      name: 'chaos_approvals',
      seed,
      databaseUrl: database.url,
      subjects: Number(values.approvals ?? 500),
      processes: 2,
      killEveryMs: 5000,
      killsMax: Infinity,
      subjectsAtOnce: 40,
      skipsWaiting: false,
      log,
      ...(values.output && { onOutput: (text: string) => log(text.trim()) }),
    });
  } finally {
    await database.close();
  }
}

/** 2,000 secrets in 200 workspaces, with ten rotations of the master key. */
async function vault() {
  const stateDir = path.join(root, '.switchboard/chaos');
  await mkdir(stateDir, { recursive: true });
  const database = await openChaosDatabase(stateDir, 'chaos_vault');
  try {
    await migrate(database.url, path.join(root, 'prisma'));
    const outcome = await runVaultChaos({
      databaseUrl: database.url,
      log,
      rotations: 10,
      workspaces: 200,
      secretsEach: 10,
      readers: 4,
    });
    const invariants = {
      'no read fails': outcome.failed_reads === 0,
      'no data key uses an old master key': outcome.left_on_old_keys === 0,
      'all secrets open with only the newest key': outcome.read_with_only_the_newest === outcome.secrets,
      'a rotation takes less than a minute': outcome.slowest_rotation_ms < 60_000,
    };
    return { ...outcome, broken: Object.entries(invariants).flatMap(([law, holds]) => (holds ? [] : [law])) };
  } finally {
    await database.close();
  }
}
