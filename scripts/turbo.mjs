import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/**
 * Runs turbo on the Node.js of this repository, without telemetry, and resolves to its exit code.
 *
 * @param {{ stdout?: NodeJS.WriteStream }} options the stream for turbo's stdout
 * @param {string[]} args
 */
export function turbo({ stdout = process.stdout }, ...args) {
  const bin = path.join(path.dirname(require.resolve('turbo/package.json')), 'bin', 'turbo');
  // Tests start servers and wait for them: running more of them than there are cores delays them.
  const concurrency = `--concurrency=${Math.max(2, os.availableParallelism())}`;
  const child = spawn(process.execPath, [bin, 'run', ...args, concurrency, '--output-logs=new-only'], {
    cwd: root,
    stdio: ['inherit', stdout, 'inherit'],
    env: {
      ...process.env,
      // The compiler and the linter are programs in Go that run once (docs/decisions/053-typed-lint.md).
      GOGC: process.env.GOGC ?? '200',
      TURBO_TELEMETRY_DISABLED: '1',
      DO_NOT_TRACK: '1',
    },
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

if (process.argv[1] === import.meta.filename) process.exit(await turbo({}, ...process.argv.slice(2)));
