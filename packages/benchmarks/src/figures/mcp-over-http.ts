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
/** The JIT compiler still improves the server of the protocol after 40 s under load. */
const WARM_UP_CALLS = 30_000;
/** Of each server before the comparison with the SDK, when ours is compiled. */
const SDK_WARM_UP_CALLS = 8000;
const BARE = fileURLToPath(new URL('../baselines/sdk-list.js', import.meta.url));

/** One tool call, compared with the same operation over REST, and with the minimal server of the SDK. */
export async function mcpOverHttp({ switchboard }: Installation): Promise<readonly BenchmarkResult[]> {
  const port = await freePort();
  const bare = startProgram(BARE, { DATABASE_URL: switchboard.databaseUrl, PORT: String(port) });
  await bare.waitForOutput(/ready/);
  const headers = {
    authorization: `Bearer ${switchboard.keys.full}`,
    accept: 'application/json, text/event-stream',
  };
  const mcp = httpCaller(switchboard.mcpUrl, { callers: CALLERS, headers, status: 200 });
  const rest = httpCaller(switchboard.url, { callers: CALLERS, headers, status: 200 });
  const sdk = httpCaller(`http://127.0.0.1:${port}`, { callers: CALLERS, headers, status: 200 });
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_connections', arguments: { limit: 20 } },
  };
  try {
    for (const answer of [await mcp('/mcp', call), await sdk('/mcp', call)]) {
      if (!answer.includes('"structuredContent"')) throw new Error(`tools/call returned ${answer}`);
    }
    const load = { callers: CALLERS, windowMs: WINDOW_MS };
    const sides = {
      mcp: () => mcp('/mcp', call),
      rest: () => rest('/v1/connections?limit=20'),
      sdk: () => sdk('/mcp', call),
    };
    const rate = (side: keyof typeof sides) => () => rateOf(sides[side], load);
    await warmUpInTurns([sides.mcp, sides.rest], { callers: CALLERS, calls: WARM_UP_CALLS });
    const comparison = await compare(rate('mcp'), rate('rest'), ROUNDS);
    await warmUpInTurns([sides.mcp, sides.sdk], { callers: CALLERS, calls: SDK_WARM_UP_CALLS });
    const sdkComparison = await compare(rate('mcp'), rate('sdk'), ROUNDS);
    return [
      toBenchmarkResult({
        figure: 'tools/call list_connections over HTTP',
        value: comparison.ours,
        unit: 'calls per second',
        reach: { at_least: 0.75 },
        comparedWith: { what: 'the same through REST', value: comparison.theirs, ratio: comparison.ratio },
      }),
      toBenchmarkResult({
        figure: 'tools/call list_connections over HTTP, compared with a bare server',
        value: sdkComparison.ours,
        unit: 'calls per second',
        reach: { at_least: 0.75 },
        comparedWith: {
          what: 'a low-level server and a transport of the SDK per call, one prepared query, without a key',
          value: sdkComparison.theirs,
          ratio: sdkComparison.ratio,
        },
      }),
    ];
  } finally {
    await Promise.all([mcp.close(), rest.close(), sdk.close(), bare.stop()]);
  }
}
