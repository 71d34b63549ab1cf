import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createToolFilter, createMcpServer } from '@switchboard/mcp';
import { startService } from '@switchboard/bootstrap';
import { z } from 'zod';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import type { Installation } from '../support/installation.js';
import { percentile } from '../support/percentile.js';
import { millisecondsOf } from '../support/rate.js';

const CALLS = 500;
const anything = z.looseObject({});

/** What every agent reads first: how long it is, and what it costs the server once it was made. */
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

    // Through the protocol, a key's look-up included: what remains beside an empty answer is the list's own.
    const whole: number[] = [];
    const empty: number[] = [];
    for (let call = 0; call < CALLS; call += 1) {
      whole.push(await millisecondsOf(() => client.request({ method: 'tools/list' }, anything)));
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
        figure: 'tools/list after the first, without the protocol around it',
        value: percentile(whole, 50) - percentile(empty, 50),
        unit: 'ms',
        reach: { at_most: 0.05 },
      }),
    ];
  } finally {
    await service.close();
  }
}
