import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { installIsolated } from './install-isolated.js';

const FOLDERS = fileURLToPath(new URL('../../real-servers/', import.meta.url));
const STOP_DEADLINE_MS = 5_000;
const KEPT_STDERR_CHARS = 4_000;

/**
 * A real server as a child of this process; it exits with its parent. It exchanges JSON lines over stdin and
 * stdout.
 */
export interface RealProcess<Ready> {
  /** The line that it printed when ready. */
  readonly ready: Ready;
  /** Sends a line and waits for the acknowledgement. */
  send(message: object): Promise<void>;
  stop(): Promise<void>;
}

/** Installs `real-servers/<name>` when necessary and runs its `server.mjs`. */
export async function startRealProcess<Ready>(
  name: string,
  options: { readonly bootDeadlineMs: number; readonly env?: Readonly<Record<string, string>> },
): Promise<RealProcess<Ready>> {
  const folder = join(FOLDERS, name);
  await installIsolated(folder);
  const child = spawn(process.execPath, [join(folder, 'server.mjs')], {
    stdio: 'pipe',
    env: { ...process.env, ...options.env },
  });
  const readStderr = collectStderr(child);
  const messages = readMessages(child);
  const deadline = setTimeout(() => child.kill('SIGKILL'), options.bootDeadlineMs);
  const ready = await messages.next();
  clearTimeout(deadline);
  if (ready === undefined) throw new Error(`The real ${name} server did not start.\n${readStderr()}`);
  return {
    ready: ready as Ready,
    async send(message) {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      if ((await messages.next()) === undefined)
        throw new Error(`The real ${name} server exited.\n${readStderr()}`);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin.end();
      const kill = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

function collectStderr(child: ChildProcessWithoutNullStreams): () => string {
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-KEPT_STDERR_CHARS);
  });
  return () => text;
}

/** The JSON lines that the server prints, in order; `undefined` once it has exited. */
function readMessages(child: ChildProcessWithoutNullStreams) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next(): Promise<unknown> {
      const line = await lines.next();
      return line.done === true ? undefined : (JSON.parse(line.value) as unknown);
    },
  };
}
