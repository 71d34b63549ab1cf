// Runs command lines in one process, one after another, for tests: starting the program costs more than most
// commands do.
import type { run as Run } from '../run.js';
import type { CommandExit, Env } from './installation.js';

export interface CommandLine {
  readonly args: readonly string[];
  readonly env: Env;
}

// As it is built: this file is not part of the build.
const { run } = (await import(new URL('../../dist/run.js', import.meta.url).href)) as { run: typeof Run };

process.on('message', ({ args, env }: CommandLine) => {
  Object.assign(process, { env: { ...env }, exitCode: undefined });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: string | Uint8Array) => {
      output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      return true;
    };
  }
  void run(['node', 'switchboard', ...args]).then((code) => {
    process.send?.({ code, ...output } satisfies CommandExit);
  });
});
process.on('disconnect', () => process.exit());
