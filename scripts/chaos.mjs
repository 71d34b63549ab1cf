// Builds the dependencies, then runs the chaos tests: `pnpm test:chaos posts --seed 7`, `pnpm test:chaos
// tokens`.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { root, turbo } from './turbo.mjs';

const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/acceptance');
if (built !== 0) process.exit(built);

const main = path.join(root, 'packages/acceptance/dist/chaos/main.js');
const child = spawn(process.execPath, [main, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
// A terminal signals the tests as well; they stop their processes, and this script waits for them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
