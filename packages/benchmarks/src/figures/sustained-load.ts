import { randomUUID } from 'node:crypto';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { httpCaller } from '../support/http-caller.js';
import { startInstallation, type Installation } from '../support/installation.js';
import { offerLoad } from '../support/offer-load.js';
import { median, percentile } from '../support/percentile.js';
import { residentMibOf } from '../support/process-usage.js';

const MINUTE_MS = 60_000;
const SOAK_MINUTES = Number(process.env['SWITCHBOARD_BENCH_SOAK_MINUTES'] ?? 10);
const SAMPLE_MS = 5_000;
const CALLERS = 64;
const AHEAD_MS = 30 * 86_400_000;

type Report = (figures: readonly BenchmarkResult[]) => void;

/**
 * R31: a minute of reads, a minute of writes, and then half of both with tool calls and posts that are published, for
 * ten minutes (`SWITCHBOARD_BENCH_SOAK_MINUTES`), during which no process may grow.
 */
export async function sustainedLoad(report: Report): Promise<readonly BenchmarkResult[]> {
  const installation = await startInstallation({ label: '_load', env: { SWITCHBOARD_ROLES: 'http' } });
  const calls = callsOf(installation);
  try {
    const { server: worker } = await installation.switchboard.startReplica({ SWITCHBOARD_ROLES: 'worker' });
    report(await measureLatency('reads of connections', { perSecond: 400, call: calls.read, p99Ms: 100 }));
    report(await measureLatency('scheduled posts', { perSecond: 100, call: calls.schedule, p99Ms: 250 }));
    const { rest, mcpServer } = installation.switchboard;
    return await soak(calls, { REST: rest.pid, worker: worker.pid, MCP: mcpServer?.pid ?? 0 });
  } finally {
    await calls.close();
    await installation.close();
  }
}

function callsOf({ switchboard, profile, socials }: Installation) {
  const headers = { authorization: `Bearer ${switchboard.keys.full}` };
  const accept = 'application/json, text/event-stream';
  const get = httpCaller(switchboard.url, { callers: CALLERS, headers, status: 200 });
  const post = httpCaller(switchboard.url, { callers: CALLERS, headers, status: 201 });
  const mcp = httpCaller(switchboard.mcpUrl, {
    callers: CALLERS,
    headers: { ...headers, accept },
    status: 200,
  });
  const params = { name: 'list_connections', arguments: { limit: 20 } };
  const create = (time: object) =>
    post(
      '/v1/social/posts',
      { profile_id: profile, text: randomUUID(), targets: [{ connection_id: socials[0] }], ...time },
      { 'idempotency-key': randomUUID() },
    );
  return {
    read: () => get('/v1/connections?limit=20'),
    schedule: () => create({ scheduled_at: new Date(Date.now() + AHEAD_MS).toISOString() }),
    publish: () => create({}),
    callTool: () => mcp('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    close: () => Promise.all([get.close(), post.close(), mcp.close()]),
  };
}

interface Limit {
  readonly perSecond: number;
  readonly call: () => Promise<unknown>;
  readonly p99Ms: number;
}

async function measureLatency(
  what: string,
  { perSecond, call, p99Ms }: Limit,
): Promise<readonly BenchmarkResult[]> {
  await offerLoad({ perSecond: perSecond / 4, forMs: SAMPLE_MS, call });
  const { latenciesMs, errors } = await offerLoad({ perSecond, forMs: MINUTE_MS, call });
  const figure = `${perSecond} ${what} a second for a minute`;
  return [
    toBenchmarkResult({
      figure: `${figure}, p99`,
      value: percentile(latenciesMs, 99),
      unit: 'ms',
      reach: { at_most: p99Ms },
    }),
    toBenchmarkResult({
      figure: `${figure}, errors`,
      value: errors.length,
      unit: 'errors',
      reach: { at_most: 0 },
    }),
  ];
}

async function soak(
  calls: ReturnType<typeof callsOf>,
  pids: Readonly<Record<string, number>>,
): Promise<readonly BenchmarkResult[]> {
  const samples: Record<string, number[]> = Object.fromEntries(Object.keys(pids).map((name) => [name, []]));
  const sampling = setInterval(() => {
    for (const [name, pid] of Object.entries(pids))
      void residentMibOf(pid).then((mib) => samples[name]?.push(mib));
  }, SAMPLE_MS);
  const forMs = SOAK_MINUTES * MINUTE_MS;
  const outcomes = await Promise.all([
    offerLoad({ perSecond: 100, forMs, call: calls.read }),
    offerLoad({ perSecond: 25, forMs, call: calls.schedule }),
    offerLoad({ perSecond: 10, forMs, call: calls.publish }),
    offerLoad({ perSecond: 50, forMs, call: calls.callTool }),
  ]);
  clearInterval(sampling);
  const errors = outcomes.flatMap((outcome) => outcome.errors);
  for (const error of new Set(errors)) process.stderr.write(`${error.slice(0, 300)}\n`);
  const perMinute = MINUTE_MS / SAMPLE_MS;
  return [
    toBenchmarkResult({
      figure: `${SOAK_MINUTES} minutes of load, errors`,
      value: errors.length,
      unit: 'errors',
      reach: { at_most: 0 },
    }),
    ...Object.entries(samples).map(([name, sizes]) => {
      const [value, before] = [
        median(sizes.slice(-perMinute)),
        median(sizes.slice(perMinute, 2 * perMinute)),
      ];
      return toBenchmarkResult({
        figure: `${SOAK_MINUTES} minutes of load, memory of ${name} in the last minute`,
        value,
        unit: 'MiB',
        reach: { at_most: 1.1 },
        comparedWith: { what: 'in the second minute', value: before },
      });
    }),
  ];
}
