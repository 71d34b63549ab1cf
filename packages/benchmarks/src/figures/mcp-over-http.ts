import { figureOf, type Figure } from '../figure.js';
import { compare } from '../support/compare.js';
import { httpCaller } from '../support/http-caller.js';
import type { Installation } from '../support/installation.js';
import { rateOf } from '../support/rate.js';

const CALLERS = 16;
const ROUNDS = 5;
const WINDOW_MS = 1500;

/** One call of a tool, beside the same operation over REST. */
export async function mcpOverHttp({ switchboard }: Installation): Promise<readonly Figure[]> {
  const headers = {
    authorization: `Bearer ${switchboard.keys.full}`,
    accept: 'application/json, text/event-stream',
  };
  const mcp = httpCaller(switchboard.mcpUrl, { callers: CALLERS, headers, status: 200 });
  const rest = httpCaller(switchboard.url, { callers: CALLERS, headers, status: 200 });
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_connections', arguments: { limit: 20 } },
  };
  try {
    const answer = await mcp('/mcp', call);
    if (!answer.includes('"structuredContent"')) throw new Error(`tools/call answered ${answer}`);
    const load = { callers: CALLERS, windowMs: WINDOW_MS };
    const found = await compare(
      () => rateOf(() => mcp('/mcp', call), load),
      () => rateOf(() => rest('/v1/connections?limit=20'), load),
      ROUNDS,
    );
    return [
      figureOf({
        figure: 'tools/call list_connections over HTTP',
        value: found.ours,
        unit: 'calls per second',
        reach: { at_least: 0.6 },
        comparedWith: { what: 'the same through REST', value: found.theirs, ratio: found.ratio },
      }),
    ];
  } finally {
    await Promise.all([mcp.close(), rest.close()]);
  }
}
