import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService } from '@switchboard/bootstrap';
import { createToolFilter, createHttpApp, listen } from '@switchboard/mcp';
import { freePort } from '@switchboard/persistence/testing';
import type { Switchboard } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { fixtureServer } from './fixture-server.js';
import { modernFixtureServer } from './modern-fixture-server.js';
import { startKeyProxy } from './key-proxy.js';
import { FOLDER, installTools, runTool } from './run-tool.js';

const INSTALL_AND_START_MS = 6 * 60_000;
const SCENARIO_MS = 10_000;
const SUITE_MS = 10 * 60_000;

let switchboard: Switchboard;
let fixtures: string;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  await installTools();
  switchboard = await startSwitchboard({ name: 'conformance', mcp: true });
  closing.push(() => switchboard.stop());
  fixtures = await serveFixtures();
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
  const factories = { legacy: fixtureServer, modern: modernFixtureServer };
  const app = createHttpApp(service, toolFilter.value, factories);
  const { server, drain } = await listen(app, { ...service.config, mcpPort: await freePort() });
  closing.push(drain);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const transport = 'our HTTP transport with the suite’s fixtures';
const product = 'Switchboard itself';
/** Version 0.2 runs what a revision requires, and has a timeout for each scenario. */
const required = (revision: string) => [
  ...['--requirements', revision],
  ...['--timeout', String(SCENARIO_MS)],
];

test.each([
  ['suite', '2025-11-25', transport, required('2025-11-25'), 33],
  ['suite', '2025-11-25', product, required('2025-11-25'), 33],
  ['suite', '2026-07-28', transport, required('2026-07-28'), 50],
  ['suite', '2026-07-28', product, required('2026-07-28'), 50],
  ['releasedSuite', '2025-11-25', transport, [], 30],
  ['releasedSuite', '2025-11-25', product, [], 30],
] as const)(
  'with the %s, revision %s: %s conforms, except for the listed deviations',
  async (suite, revision, whose, selection, scenarios) => {
    const proxy = await startKeyProxy(
      whose === transport ? fixtures : switchboard.mcpUrl,
      switchboard.keys.full,
    );
    closing.push(() => proxy.close());
    const exceptions = join(FOLDER, `${whose === transport ? 'transport' : 'switchboard'}-${revision}.yml`);
    const ran = await runTool(
      suite,
      ['server', '--url', proxy.url, ...selection, '--expected-failures', exceptions],
      { env: {}, deadlineMs: SUITE_MS },
    );
    const summary = ran.stdout.slice(ran.stdout.indexOf('=== SUMMARY ==='));
    process.stdout.write(`${summary}\n`);
    expect({ ...ran, stdout: summary }).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain(`(${scenarios} scenarios)`);
  },
  SUITE_MS,
);
