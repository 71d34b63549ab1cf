import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { httpCaller } from '../support/http-caller.js';
import { startInstallation, type Installation } from '../support/installation.js';
import { offerLoad } from '../support/offer-load.js';
import { percentile } from '../support/percentile.js';
import { rateOf } from '../support/rate.js';

/** As many callers as saturate the service, and ten times as many. */
const CALLERS = 16;
const OVERLOAD = 10;
const OVERLOAD_MS = 30_000;
const PROBES_PER_SECOND = 10;
const CALM_MS = 5_000;
const RECOVERY_MS = 10_000;
const AHEAD_MS = 30 * 86_400_000;

/**
 * R32: ten times as many callers as saturate the service read and write for half a minute. It answers or refuses
 * with `Retry-After`, does as much as before, reports that it lives, and is as fast as before within ten seconds.
 */
export async function overload(): Promise<readonly BenchmarkResult[]> {
  const installation = await startInstallation({ label: '_overload' });
  const { switchboard } = installation;
  const headers = { authorization: `Bearer ${switchboard.keys.full}` };
  const read = httpCaller(switchboard.url, { callers: 1, headers, status: 200 });
  const health = httpCaller(switchboard.url, { callers: 1, headers: {}, status: 200 });
  const readOnce = () => read('/v1/connections?limit=20');
  try {
    await sendFrom(CALLERS, installation, CALM_MS);
    const saturated = await sendFrom(CALLERS, installation, CALM_MS);
    const p99Of = async (call: () => Promise<unknown>, forMs: number) => {
      const { latenciesMs, errors } = await offerLoad({ perSecond: PROBES_PER_SECOND, forMs, call });
      return errors.length > 0 ? Number.NaN : percentile(latenciesMs, 99);
    };
    const before = await p99Of(readOnce, CALM_MS);
    const [answers, alive] = await Promise.all([
      sendFrom(OVERLOAD * CALLERS, installation, OVERLOAD_MS),
      p99Of(() => health('/healthz'), OVERLOAD_MS),
    ]);
    await sleep(RECOVERY_MS - CALM_MS);
    const after = await p99Of(readOnce, CALM_MS);
    const figure = `${OVERLOAD * CALLERS} callers`;
    return [
      toBenchmarkResult({
        figure: `${figure}, requests answered or refused`,
        value: answers.expected,
        unit: 'requests',
        reach: { at_least: 1 },
        comparedWith: { what: 'all requests', value: answers.all },
      }),
      toBenchmarkResult({
        figure: `${figure}, requests answered or refused per second`,
        value: answers.perSecond,
        unit: 'requests per second',
        reach: { at_least: 0.8 },
        comparedWith: { what: `${CALLERS} callers`, value: saturated.perSecond },
      }),
      toBenchmarkResult({
        figure: `${figure}, /healthz, p99`,
        value: alive,
        unit: 'ms',
        reach: { at_most: 500 },
      }),
      toBenchmarkResult({
        figure: `${figure}, a read 5 to 10 s later, p99`,
        value: after,
        unit: 'ms',
        reach: { at_most: 2 },
        comparedWith: { what: 'before', value: before },
      }),
    ];
  } finally {
    await Promise.all([read.close(), health.close()]);
    await installation.close();
  }
}

/** Every second request creates a post. A refusal counts as expected if it says when to try again. */
async function sendFrom(callers: number, { switchboard, profile, socials }: Installation, forMs: number) {
  const pool = new Pool(new URL(switchboard.url).origin, { connections: callers, pipelining: 1 });
  const authorization = `Bearer ${switchboard.keys.full}`;
  const statuses = new Map<string, number>();
  const create = () =>
    pool.request({
      method: 'POST',
      path: '/v1/social/posts',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify({
        profile_id: profile,
        text: randomUUID(),
        scheduled_at: new Date(Date.now() + AHEAD_MS).toISOString(),
        targets: [{ connection_id: socials[0] }],
      }),
    });
  const list = () =>
    pool.request({ method: 'GET', path: '/v1/connections?limit=20', headers: { authorization } });
  let sent = 0;
  const send = async () => {
    sent += 1;
    const response = await (sent % 2 === 0 ? create() : list());
    await response.body.dump();
    const { statusCode, headers } = response;
    const isRefused = [429, 503].includes(statusCode) && headers['retry-after'] !== undefined;
    const kind = statusCode < 300 ? 'answered' : isRefused ? 'refused' : String(statusCode);
    statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
  };
  const perSecond = await rateOf(send, { callers, windowMs: forMs });
  await pool.close();
  process.stderr.write(`${JSON.stringify(Object.fromEntries(statuses))}\n`);
  const expected = (statuses.get('answered') ?? 0) + (statuses.get('refused') ?? 0);
  return { expected, all: sent, perSecond };
}
