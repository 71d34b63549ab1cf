import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CommandLine } from './command-host.js';

const program = path.resolve(import.meta.dirname, '../../bin/switchboard.mjs');

export interface CommandExit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Env = Readonly<Record<string, string>>;

/**
 * A data directory of its own, and the command line on it, with an environment that contains only the given
 * variables. Commands whose result is expected run one after another in one process; with `spawned`, and where a
 * command gets input or signals, each is a process of its own, as users start it.
 */
export async function createInstallation(ownEnv: Env, { spawned = false } = {}) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'switchboard-cli-'));
  const env: Env = { SWITCHBOARD_DATA_DIR: dataDir, SWITCHBOARD_ALLOW_DEV: '1', ...ownEnv };
  const startCommand = (args: readonly string[], extraEnv: Env = {}) =>
    spawnProgram(args, { ...env, ...extraEnv });
  const runWith = (extraEnv: Env, ...args: readonly string[]) =>
    spawned ? startCommand(args, extraEnv).exited : commandHost.run({ args, env: { ...env, ...extraEnv } });
  const run = (...args: readonly string[]) => runWith({}, ...args);
  return {
    dataDir,
    env,
    startCommand,
    run,
    /** With this text on its standard input. */
    runWithInput: (input: string, ...args: readonly string[]) => spawnProgram(args, env, input).exited,
    runWith,
    /** The result of a command with `--json`; throws with its output when it fails. */
    async json<Shape>(...args: readonly string[]): Promise<Shape> {
      const { code, stdout, stderr } = await run(...args, '--json');
      if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${stderr}${stdout}`);
      return JSON.parse(stdout) as Shape;
    },
    async remove() {
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type Installation = Awaited<ReturnType<typeof createInstallation>>;

/**
 * A process that is started for the first command line and runs all of them (`command-host.ts`), also those of other
 * test files: loading the program takes longer than most commands. It exits with the process of the tests.
 */
const commandHost = createCommandHost();

function createCommandHost() {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const runNext = async (line: CommandLine): Promise<CommandExit> => {
    child ??= fork(path.resolve(import.meta.dirname, 'command-host.ts'), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const answered = new AbortController();
    const { signal } = answered;
    hold(child, true);
    try {
      child.send(line);
      const [exit] = (await Promise.race([
        once(child, 'message', { signal }),
        once(child, 'exit', { signal }).then(([code]) => {
          child = undefined;
          throw new Error(`${line.args.join(' ')} ended its process with ${code}`);
        }),
      ])) as [CommandExit];
      return exit;
    } finally {
      answered.abort();
      if (child) hold(child, false);
    }
  };
  return {
    run(line: CommandLine): Promise<CommandExit> {
      const next = last.then(() => runNext(line));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

/** Whether the process of the tests waits for the child before it exits. */
function hold(child: ChildProcess, isHeld: boolean): void {
  const change = isHeld ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
}

function spawnProgram(args: readonly string[], env: Env, input = '') {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  // A program that reads no input may exit first.
  child.stdin.on('error', () => undefined).end(input);
  const output = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
      for (const listener of listeners) listener();
    });
  }
  const exited = new Promise<CommandExit>((resolve) => {
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return {
    exited,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Resolves with a match in either stream; rejects when the program exits first. */
    waitForOutput: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output.stderr) ?? pattern.exec(output.stdout);
          if (found) resolve(found[0]);
        };
        listeners.add(look);
        void exited.then(({ code }) => reject(new Error(`It exited with ${code}: ${output.stderr}`)));
        look();
      }),
  };
}
