import path from 'node:path';
import { freePort, startProgram } from '@switchboard/acceptance';
import { root } from '@switchboard/bootstrap';
import { stopServer } from '@switchboard/persistence/embedded';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { benchDir } from '../support/installation.js';
import { millisecondsOf } from '../support/rate.js';
import { withProgram } from '../support/with-program.js';

const START = path.join(root, 'scripts/start.mjs');

/**
 * `pnpm start` after an earlier run, with no running process, until REST and MCP are ready; includes the
 * start of the embedded database.
 */
export async function secondStart(): Promise<readonly BenchmarkResult[]> {
  const dataDir = path.join(benchDir, 'start');
  const [port, mcpPort, sandboxPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const env = {
    HOME: process.env['HOME'] ?? '',
    SWITCHBOARD_DATA_DIR: dataDir,
    PORT: String(port),
    MCP_PORT: String(mcpPort),
    SWITCHBOARD_SANDBOX_PORT: String(sandboxPort),
  };
  const startOnce = async () => {
    const program = startProgram(START, env);
    try {
      return await withProgram(program, () =>
        millisecondsOf(() => program.waitForOutput(/MCP is ready at/, 120_000)),
      );
    } finally {
      await stopServer(dataDir);
    }
  };
  await startOnce();
  const secondMs = await startOnce();
  return [
    toBenchmarkResult({
      figure: 'pnpm start, the second time, until REST and MCP are ready',
      value: secondMs / 1000,
      unit: 's',
      reach: { at_most: 4 },
    }),
  ];
}
