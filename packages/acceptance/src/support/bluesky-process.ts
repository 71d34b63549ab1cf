import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { installRealServer } from './install-real-server.js';

const FOLDER = fileURLToPath(new URL('../../real-servers/bluesky/', import.meta.url));
const BOOT_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 5_000;
const KEPT_STDERR_CHARS = 4_000;

export interface BlueskyProcess {
  readonly url: string;
  readonly plcUrl: string;
  /** Breaks the connection on the next call of an XRPC method, before or after the PDS did the work. */
  lose(what: 'request' | 'answer', nsid: string): Promise<void>;
  stop(): Promise<void>;
}

/** Installs `real-servers/bluesky` where needed and runs it as a child of this process, with which it ends. */
export async function startBlueskyProcess(): Promise<BlueskyProcess> {
  await installRealServer(FOLDER);
  const child = spawn(process.execPath, [join(FOLDER, 'server.mjs')], { stdio: 'pipe' });
  const complaints = collectStderr(child);
  const messages = readMessages(child);
  const deadline = setTimeout(() => child.kill('SIGKILL'), BOOT_DEADLINE_MS);
  const ready = await messages.next();
  clearTimeout(deadline);
  if (ready === undefined) throw new Error(`The real Bluesky PDS did not start.\n${complaints()}`);
  const { url, plcUrl } = ready as { url: string; plcUrl: string };

  let commands = 0;
  return {
    url,
    plcUrl,
    async lose(what, nsid) {
      commands += 1;
      child.stdin.write(`${JSON.stringify({ id: commands, lose: what, method: nsid })}\n`);
      if ((await messages.next()) === undefined)
        throw new Error(`The real Bluesky PDS ended.\n${complaints()}`);
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

/** The lines of JSON that the server prints, in order; `undefined` once it has ended. */
function readMessages(child: ChildProcessWithoutNullStreams) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next(): Promise<unknown> {
      const line = await lines.next();
      return line.done === true ? undefined : (JSON.parse(line.value) as unknown);
    },
  };
}
