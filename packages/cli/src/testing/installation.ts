import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const program = path.resolve(import.meta.dirname, '../../bin/switchboard.mjs');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly ended: Promise<Ran>;
  /** Resolves with what fits in either stream; rejects when it ends before. */
  says(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

export type Env = Readonly<Record<string, string>>;

/** A data directory of its own, and the command line on it, with an environment that holds nothing but what is given. */
export async function installation(given: Env) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'switchboard-cli-'));
  const env: Env = { SWITCHBOARD_DATA_DIR: dataDir, SWITCHBOARD_ALLOW_DEV: '1', ...given };
  const begin = (args: readonly string[], more: Env = {}) => spawnProgram(args, { ...env, ...more });
  const run = (...args: readonly string[]) => begin(args).ended;
  return {
    dataDir,
    env,
    begin,
    run,
    /** With this on its standard input. */
    runFed: (input: string, ...args: readonly string[]) => spawnProgram(args, env, input).ended,
    runWith: (more: Env, ...args: readonly string[]) => begin(args, more).ended,
    /** What a command answers with `--json`; throws with what it said when it fails. */
    async json<Shape>(...args: readonly string[]): Promise<Shape> {
      const { code, stdout, stderr } = await run(...args, '--json');
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
      return JSON.parse(stdout) as Shape;
    },
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

export type Installation = Awaited<ReturnType<typeof installation>>;

function spawnProgram(args: readonly string[], env: Env, input = ''): Running {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  // A program that reads none of it has ended before.
  child.stdin.on('error', () => undefined).end(input);
  const said = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<Ran>((resolve) => {
    child.once('close', (code) => resolve({ code, ...said }));
  });
  return {
    ended,
    kill: (signal) => void child.kill(signal),
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(said.stderr) ?? pattern.exec(said.stdout);
          if (found) resolve(found[0]);
        };
        listeners.add(look);
        void ended.then(({ code }) => reject(new Error(`It ended with ${code}: ${said.stderr}`)));
        look();
      }),
  };
}
