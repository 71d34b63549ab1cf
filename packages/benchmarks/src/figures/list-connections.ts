import { fileURLToPath } from 'node:url';
import { freePort, startProgram } from '@switchboard/acceptance';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { compare } from '../support/compare.js';
import { httpCaller } from '../support/http-caller.js';
import type { Installation } from '../support/installation.js';
import { rateOf, warmUpInTurns } from '../support/rate.js';

const CALLERS = 16;
const ROUNDS = 11;
const WINDOW_MS = 1500;
const ROWS = 20;
/** The JIT compiler still improves the server after 20 s under load, and the minimal one after two. */
const WARM_UP_CALLS = 40_000;
const BARE = fileURLToPath(new URL('../baselines/express-list.js', import.meta.url));

/** The full operation that lists connections, compared with the minimal way to return the same rows. */
export async function listConnections({ switchboard }: Installation): Promise<readonly BenchmarkResult[]> {
  const port = await freePort();
  const bare = startProgram(BARE, { DATABASE_URL: switchboard.databaseUrl, PORT: String(port) });
  await bare.waitForOutput(/ready/);
  const headers = { authorization: `Bearer ${switchboard.keys.full}` };
  const ours = httpCaller(switchboard.url, { callers: CALLERS, headers, status: 200 });
  const theirs = httpCaller(`http://127.0.0.1:${port}`, { callers: CALLERS, headers: {}, status: 200 });
  try {
    const path = `/v1/connections?limit=${ROWS}`;
    const rows = (JSON.parse(await ours(path)) as { data: unknown[] }).data.length;
    const bareRows = (JSON.parse(await theirs('/')) as unknown[]).length;
    if (rows !== ROWS || bareRows !== ROWS) throw new Error(`${rows} and ${bareRows} rows, not ${ROWS}`);
    await warmUpInTurns([() => theirs('/'), () => ours(path)], { callers: CALLERS, calls: WARM_UP_CALLS });
    const load = { callers: CALLERS, windowMs: WINDOW_MS };
    const comparison = await compare(
      () => rateOf(() => ours(path), load),
      () => rateOf(() => theirs('/'), load),
      ROUNDS,
    );
    return [
      toBenchmarkResult({
        figure: 'GET /v1/connections, 20 rows',
        value: comparison.ours,
        unit: 'requests per second',
        reach: { at_least: 0.75 },
        comparedWith: {
          what: 'Express 5 and one prepared query, without a key',
          value: comparison.theirs,
          ratio: comparison.ratio,
        },
      }),
    ];
  } finally {
    await Promise.all([ours.close(), theirs.close(), bare.stop()]);
  }
}
