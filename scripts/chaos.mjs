// Builds what is needed, then lets everything go wrong at once: `pnpm test:chaos posts --seed 7`, `pnpm test:chaos tokens`.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { root, turbo } from './turbo.mjs';

const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/acceptance');
if (built !== 0) process.exit(built);

const main = path.join(root, 'packages/acceptance/dist/chaos/main.js');
const child = spawn(process.execPath, [main, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
// On a terminal it has the signal already; it stops what it started, and this waits for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
