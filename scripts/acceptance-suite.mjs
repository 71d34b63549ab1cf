import { spawn } from 'node:child_process';
import path from 'node:path';
import { root, turbo } from './turbo.mjs';

const folder = path.join(root, 'packages/acceptance');

/**
 * Builds the dependencies, then runs one of the suites of packages/acceptance that have their own command.
 *
 * @param {string[]} configs its Jest configurations, run one after another
 */
export function runSuite(...configs) {
  const jest = path.join(folder, 'node_modules/jest/bin/jest.js');
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return run(folder, ...configs.map((config) => [...options, jest, '--config', config]));
}

/**
 * Builds the dependencies, then runs one of the programs of packages/acceptance.
 *
 * @param {string} name its folder
 */
export const runProgram = (name) => run(root, [path.join(folder, 'dist', name, 'main.js')]);

/** @param {string[][]} commands arguments of Node.js; those of this process follow */
async function run(cwd, ...commands) {
  const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/acceptance');
  if (built !== 0) process.exit(built);

  let failed = 0;
  for (const command of commands) failed ||= await runCommand(cwd, command);
  process.exit(failed);
}

function runCommand(cwd, command) {
  const child = spawn(process.execPath, [...command, ...process.argv.slice(2)], { cwd, stdio: 'inherit' });
  // A terminal signals the child as well; it stops its processes, and this script waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}
