// Builds if necessary (unless `--no-build` is given), then runs REST (with the worker and the sandbox) and, once
// that is ready, MCP over HTTP. When one of them exits, the other is stopped too.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root, turbo } from './turbo.mjs';

/** Printed by an app when it is ready; no other startup output contains this word. */
const READY = /\bready\b/;

if (!process.argv.includes('--no-build')) {
  const built = await turbo(
    {},
    'build',
    // With the command line: its first command would otherwise wait for a build.
    ...['rest', 'mcp', 'cli'].map((name) => `--filter=@switchboard/${name}`),
  );
  if (built !== 0) process.exit(built);
}

const children = new Set();
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop());

const ready = await serve('apps/rest/dist/bundle/main.js');
if (ready) await serve('apps/mcp/dist/bundle/http.js');

/** Resolves to true when the app is ready, to false if it exits first. */
function serve(file) {
  const child = spawn(process.execPath, ['--enable-source-maps', path.join(root, file)], {
    cwd: root,
    env: { NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/switchboard'), ...process.env },
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  children.add(child);
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      process.stdout.write(`${line}\n`);
      if (READY.test(line)) resolve(!isStopping);
    });
    child.on('error', (error) => console.error(`${file}: ${error.message}`));
    // Not at `exit`: the last output of the child may still be in transit then.
    child.on('close', (code) => {
      children.delete(child);
      // Without a signal to this process, an app exits with 0 after `switchboard stop`.
      if (code !== 0) process.exitCode = code ?? 1;
      stop();
      resolve(false);
    });
  });
}

/** A terminal signals the children as well, which ignore a second signal. */
function stop() {
  if (isStopping) return;
  isStopping = true;
  for (const child of children) child.kill('SIGTERM');
}
