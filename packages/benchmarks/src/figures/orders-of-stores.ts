import { asObjects, sandboxControl } from '@switchboard/acceptance';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { compare } from '../support/compare.js';
import { httpCaller } from '../support/http-caller.js';
import type { Installation } from '../support/installation.js';
import { millisecondsOf, warmUp } from '../support/rate.js';

const WARM_UP_CALLS = 50;
const ROUNDS = 30;
const DELAY_MS = 50;

/**
 * The orders of all stores at once, compared with the slowest store alone; every store responds with a delay.
 * The stores run in another process and process a request within the delay: real stores do not use the processor of
 * the service, nor that of each other.
 */
export async function ordersOfStores({
  switchboard,
  stores,
}: Installation): Promise<readonly BenchmarkResult[]> {
  const sandbox = sandboxControl(switchboard.sandboxUrl);
  const headers = { authorization: `Bearer ${switchboard.keys.full}` };
  const { url, server } = await switchboard.startReplica({ SWITCHBOARD_ROLES: 'http' });
  const send = httpCaller(url, { callers: 1, headers, status: 200 });
  await sandbox.fault({ platform: 'store', kind: 'delay-after-effect', delay_ms: DELAY_MS, times: null });
  try {
    const listAll = () => send('/v1/ecommerce/orders?limit=20');
    const { sources } = JSON.parse(await listAll()) as { sources: unknown };
    const answered = asObjects(sources).filter(({ status }) => status === 'ok').length;
    if (answered !== stores.length) throw new Error(`${answered} of ${stores.length} stores responded`);
    await warmUp(listAll, { callers: 1, calls: WARM_UP_CALLS });
    const slowest = async () => {
      const times: number[] = [];
      for (const store of stores) {
        times.push(await millisecondsOf(() => send(`/v1/ecommerce/orders?limit=20&connection_id=${store}`)));
      }
      return Math.max(...times);
    };
    const comparison = await compare(() => millisecondsOf(listAll), slowest, ROUNDS);
    return [
      toBenchmarkResult({
        figure: `GET /v1/ecommerce/orders over ${stores.length} stores of ${DELAY_MS} ms`,
        value: comparison.ours,
        unit: 'ms',
        reach: { at_most: 1.15 },
        comparedWith: {
          what: 'the slowest store alone',
          value: comparison.theirs,
          ratio: comparison.ratio,
        },
      }),
    ];
  } finally {
    await sandbox.clearFaults();
    await send.close();
    await server.stop();
  }
}
