// Builds and runs the benchmarks: `pnpm bench`, or `pnpm bench vault orders` for some of them.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { root, turbo } from './turbo.mjs';

const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/benchmarks');
if (built !== 0) process.exit(built);

const main = path.join(root, 'packages/benchmarks/dist/main.js');
const child = spawn(process.execPath, [main, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
// A terminal signals the benchmark as well; it stops its processes, and this script waits for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
