import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createToolFilter, createMcpServer } from '@switchboard/mcp';
import { startService } from '@switchboard/bootstrap';
import { z } from 'zod';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import type { Installation } from '../support/installation.js';
import { percentile } from '../support/percentile.js';
import { millisecondsOf, warmUp } from '../support/rate.js';

const CALLS = 500;
const WARM_UP_CALLS = 3000;
const anything = z.looseObject({});

/** The list that every agent reads first: its size, and its cost for the server after the first time. */
export async function listOfTools({ switchboard }: Installation): Promise<readonly BenchmarkResult[]> {
  const service = await startService({
    app: 'mcp-http',
    logTo: 'stderr',
    env: { ...switchboard.env, SWITCHBOARD_TOOLSETS: '', LOG_LEVEL: 'silent' },
  });
  try {
    const toolFilter = createToolFilter(service.config, { toolsets: null, readOnly: false });
    if (!toolFilter.ok) throw new Error(toolFilter.failure.message);
    const authorization = `Bearer ${switchboard.keys.full}`;
    const server = createMcpServer(service, {
      authorization,
      address: '127.0.0.1',
      toolFilter: toolFilter.value,
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'bench', version: '1' });
    await Promise.all([server.connect(near), client.connect(far)]);
    const bytes = Buffer.byteLength(JSON.stringify(await client.listTools()));

    // Through the protocol, including the key lookup: the difference to an empty response is the cost of the
    // list.
    const list = () => client.request({ method: 'tools/list' }, anything);
    for (const call of [list, () => client.ping()]) await warmUp(call, { callers: 1, calls: WARM_UP_CALLS });
    const whole: number[] = [];
    const empty: number[] = [];
    for (let call = 0; call < CALLS; call += 1) {
      whole.push(await millisecondsOf(list));
      empty.push(await millisecondsOf(() => client.ping()));
    }
    await client.close();
    return [
      toBenchmarkResult({
        figure: 'tools/list, size',
        value: bytes / 1024,
        unit: 'KB',
        reach: { at_most: 30 },
      }),
      toBenchmarkResult({
        figure: 'tools/list after the first, without the protocol overhead',
        value: percentile(whole, 50) - percentile(empty, 50),
        unit: 'ms',
        reach: { at_most: 0.05 },
      }),
    ];
  } finally {
    await service.close();
  }
}
