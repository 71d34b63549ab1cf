import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const STOP_DEADLINE_MS = 15_000;

/**
 * Ends a program whose parent has died for any reason: the channel between them closes. The channel does not
 * keep a program running.
 */
const DIES_WITH_PARENT = 'process.once("disconnect",()=>process.exit(9));process.channel?.unref()';

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The same cache as `pnpm start`, for faster startup. */
const COMPILE_CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/switchboard', import.meta.url));

/** One of our programs in a separate process. */
export interface Program {
  readonly pid: number;
  readonly exited: Promise<ProgramExit>;
  stdout(): string;
  stderr(): string;
  /** Both output streams, interleaved as on a terminal. */
  output(): string;
  /** Resolves with the first matching output; rejects with the whole output when the program exits before. */
  waitForOutput(pattern: RegExp, withinMs?: number): Promise<string>;
  /** Sends SIGTERM, and SIGKILL when the program does not exit. */
  stop(): Promise<ProgramExit>;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts a compiled program with exactly the given environment. With its own process group, `kill` also
 * reaches its child processes.
 */
export function startProgram(
  file: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  { ownGroup = false } = {},
): Program {
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(DIES_WITH_PARENT)}`, file, ...args],
    {
      env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: ownGroup,
    },
  );
  const captured = { stdout: '', stderr: '', both: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      captured[name] += chunk;
      captured.both += chunk;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<ProgramExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });

  return {
    pid: child.pid ?? 0,
    exited: ended,
    stdout: () => captured.stdout,
    stderr: () => captured.stderr,
    output: () => captured.both,
    kill(signal) {
      const { pid, exitCode, signalCode } = child;
      if (!ownGroup) child.kill(signal);
      else if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
    },
    waitForOutput(pattern, withinMs = 180_000) {
      return new Promise((resolve, reject) => {
        const fail = (reason: string) => {
          clearTimeout(timer);
          listeners.delete(checkOutput);
          reject(new Error(`${reason}\n${captured.both.slice(-4000)}`));
        };
        const timer = setTimeout(
          () => fail(`The program did not print ${String(pattern)} within ${withinMs} ms.`),
          withinMs,
        );
        const checkOutput = () => {
          const found = pattern.exec(captured.both);
          if (!found) return;
          clearTimeout(timer);
          listeners.delete(checkOutput);
          resolve(found[0]);
        };
        listeners.add(checkOutput);
        void ended.then(({ code }) =>
          fail(`The program exited with ${code} before it printed ${String(pattern)}.`),
        );
        checkOutput();
      });
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return ended;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
      await once(child, 'exit');
      clearTimeout(timer);
      return ended;
    },
  };
}
