import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const program = path.resolve(import.meta.dirname, '../../bin/switchboard.mjs');

export interface CommandExit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly exited: Promise<CommandExit>;
  /** Resolves with a match in either stream; rejects when the program exits first. */
  waitForOutput(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

export type Env = Readonly<Record<string, string>>;

/**
 * A data directory of its own, and the command line on it, with an environment that contains only the given
 * variables.
 */
export async function createInstallation(ownEnv: Env) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'switchboard-cli-'));
  const env: Env = { SWITCHBOARD_DATA_DIR: dataDir, SWITCHBOARD_ALLOW_DEV: '1', ...ownEnv };
  const startCommand = (args: readonly string[], extraEnv: Env = {}) =>
    spawnProgram(args, { ...env, ...extraEnv });
  const run = (...args: readonly string[]) => startCommand(args).exited;
  return {
    dataDir,
    env,
    startCommand,
    run,
    /** With this text on its standard input. */
    runWithInput: (input: string, ...args: readonly string[]) => spawnProgram(args, env, input).exited,
    runWith: (extraEnv: Env, ...args: readonly string[]) => startCommand(args, extraEnv).exited,
    /** The result of a command with `--json`; throws with its output when it fails. */
    async json<Shape>(...args: readonly string[]): Promise<Shape> {
      const { code, stdout, stderr } = await run(...args, '--json');
      if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${stderr}${stdout}`);
      return JSON.parse(stdout) as Shape;
    },
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

export type Installation = Awaited<ReturnType<typeof createInstallation>>;

function spawnProgram(args: readonly string[], env: Env, input = ''): RunningCommand {
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
    kill: (signal) => void child.kill(signal),
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
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
