import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService } from '@switchboard/bootstrap';
import { createToolFilter, createHttpApp, drain, listen } from '@switchboard/mcp';
import { freePort } from '../support/free-port.js';
import type { Switchboard } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { fixtureServer } from './fixture-server.js';
import { startKeyProxy } from './key-proxy.js';
import { FOLDER, installTools, runTool } from './run-tool.js';

const INSTALL_AND_START_MS = 6 * 60_000;
const SCENARIO_MS = 10_000;
const SUITE_MS = 4 * 60_000;
const REVISION = '2025-11-25';
const SCENARIOS = 33;

let switchboard: Switchboard;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  await installTools();
  switchboard = await startSwitchboard({ name: 'conformance', mcp: true });
  closing.push(() => switchboard.stop());
}, INSTALL_AND_START_MS);
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Serves the suite's fixtures through our HTTP transport. */
async function serveFixtures(): Promise<string> {
  const env = { ...switchboard.env, LOG_LEVEL: 'silent' };
  const service = await startService({ app: 'mcp-http', logTo: 'stderr', env });
  closing.push(() => service.close());
  const toolFilter = createToolFilter(service.config);
  if (!toolFilter.ok) throw new Error(toolFilter.failure.message);
  const app = createHttpApp(service, toolFilter.value, fixtureServer);
  const server = await listen(app, { ...service.config, mcpPort: await freePort() });
  closing.push(() => drain(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test.each([
  {
    whose: 'our HTTP transport with the suite’s fixtures',
    url: serveFixtures,
    exceptions: 'transport-exceptions.yml',
  },
  {
    whose: 'Switchboard itself',
    url: () => Promise.resolve(switchboard.mcpUrl),
    exceptions: 'switchboard-exceptions.yml',
  },
])(
  '$whose conforms to the revision, except for the deviations in $exceptions',
  async ({ url, exceptions }) => {
    const proxy = await startKeyProxy(await url(), switchboard.keys.full);
    closing.push(() => proxy.close());
    const ran = await runTool(
      'suite',
      [
        ...['server', '--url', proxy.url, '--requirements', REVISION],
        ...['--timeout', String(SCENARIO_MS), '--expected-failures', join(FOLDER, exceptions)],
      ],
      { env: {}, deadlineMs: SUITE_MS },
    );
    const summary = ran.stdout.slice(ran.stdout.indexOf('=== SUMMARY ==='));
    process.stdout.write(`${summary}\n`);
    expect({ ...ran, stdout: summary }).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain(`(${SCENARIOS} scenarios)`);
  },
  SUITE_MS,
);
