import { spawn } from 'node:child_process';
import path from 'node:path';
import { root, turbo } from './turbo.mjs';

/**
 * Builds the dependencies, then runs one of the suites of packages/acceptance that have their own command.
 *
 * @param {string} config its Jest configuration
 */
export async function runSuite(config) {
  const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/acceptance');
  if (built !== 0) process.exit(built);

  const folder = path.join(root, 'packages/acceptance');
  const jest = path.join(folder, 'node_modules/jest/bin/jest.js');
  const child = spawn(
    process.execPath,
    [
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest],
      ...['--config', config, ...process.argv.slice(2)],
    ],
    { cwd: folder, stdio: 'inherit' },
  );
  // A terminal signals the suite as well; it stops its processes, and this script waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}
