import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const STOP_DEADLINE_MS = 15_000;

/** Ends a program whose parent has died, however it died: the channel between the two closes. It keeps no program from ending by itself. */
const DIES_WITH_PARENT = 'process.once("disconnect",()=>process.exit(9));process.channel?.unref()';

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What `pnpm start` keeps too: programs begin sooner. */
const COMPILE_CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/switchboard', import.meta.url));

/** A program of ours in a process of its own. */
export interface Program {
  readonly pid: number;
  readonly exited: Promise<ProgramExit>;
  stdout(): string;
  stderr(): string;
  /** Both streams, as a person would have seen them. */
  output(): string;
  /** Resolves with the first output that fits; rejects with everything it said when it ends before. */
  waitForOutput(pattern: RegExp, withinMs?: number): Promise<string>;
  /** SIGTERM, and SIGKILL for one that does not listen. */
  stop(): Promise<ProgramExit>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a compiled program with an environment that holds nothing but what is given. With a group of its own, `kill` reaches whatever it started too. */
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
    waitForOutput(pattern, withinMs = 45_000) {
      return new Promise((resolve, reject) => {
        const fail = (why: string) => {
          clearTimeout(timer);
          listeners.delete(checkOutput);
          reject(new Error(`${why}\n${captured.both.slice(-4000)}`));
        };
        const timer = setTimeout(
          () => fail(`It did not say ${String(pattern)} within ${withinMs} ms.`),
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
        void ended.then(({ code }) => fail(`It ended with ${code} before it said ${String(pattern)}.`));
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
