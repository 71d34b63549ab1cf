// Builds what is not built, then runs REST (with the worker and the sandbox) and, once that is ready, MCP over HTTP.
// Ends with the first of them: both, or neither.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root, turbo } from './turbo.mjs';

/** What an app prints once it serves; nothing else that it prints at the beginning has this word in it. */
const READY = /\bready\b/;

const built = await turbo({}, 'build', '--filter=@switchboard/rest', '--filter=@switchboard/mcp');
if (built !== 0) process.exit(built);

const children = new Set();
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop());

const ready = await serve('apps/rest/dist/bundle/main.js');
if (ready) await serve('apps/mcp/dist/bundle/http.js');

/** Resolves when the app is ready, to false if it ended before that. */
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
    // Not at `exit`: what the child said last is still on its way then.
    child.on('close', (code) => {
      children.delete(child);
      if (!isStopping || code !== 0) process.exitCode = code || 1;
      stop();
      resolve(false);
    });
  });
}

/** On a terminal the children have the signal already; they take a second one as nothing new. */
function stop() {
  if (isStopping) return;
  isStopping = true;
  for (const child of children) child.kill('SIGTERM');
}
