import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { programs } from '@switchboard/acceptance';
import { build } from 'esbuild';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { compare } from '../support/compare.js';
import type { Installation } from '../support/installation.js';
import { stdioTimes } from '../support/stdio-times.js';

const ROUNDS = 7;
const BARE = fileURLToPath(new URL('../baselines/sdk-server.js', import.meta.url));

/**
 * From the start of the process to its first responses, as a desktop agent experiences it, with a running
 * database.
 */
export async function mcpOverStdio({ switchboard }: Installation): Promise<readonly BenchmarkResult[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-bench-'));
  try {
    const bundle = path.join(folder, 'sdk-server.mjs');
    await build({
      entryPoints: [BARE],
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
      banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    });
    const env = { ...switchboard.env, SWITCHBOARD_API_KEY: switchboard.keys.full };
    const measure = (until: 'initialized' | 'listed') =>
      compare(
        async () => (await stdioTimes(programs.mcpStdio, env))[until],
        async () => (await stdioTimes(bundle, {}))[until],
        ROUNDS,
      );
    const initialized = await measure('initialized');
    const listed = await measure('listed');
    const what = 'the bare low-level server of the SDK, bundled, one tool';
    return [
      toBenchmarkResult({
        figure: 'MCP over stdio, spawn to initialize',
        value: initialized.ours,
        unit: 'ms',
        reach: { at_most: 1.5 },
        comparedWith: { what, value: initialized.theirs, ratio: initialized.ratio },
      }),
      toBenchmarkResult({
        figure: 'MCP over stdio, spawn to tools/list',
        value: listed.ours,
        unit: 'ms',
        reach: { at_most: 2 },
        comparedWith: { what, value: listed.theirs, ratio: listed.ratio },
      }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
