import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installIsolated } from '../support/install-isolated.js';

/**
 * The directory in which the official suite (its last release, and the newer one in development) and the
 * Inspector are installed, separate from the product's
 * dependencies.
 */
export const FOLDER = fileURLToPath(new URL('../../conformance/', import.meta.url));

const files = {
  suite: 'node_modules/@modelcontextprotocol/conformance/dist/index.js',
  releasedSuite: 'node_modules/@modelcontextprotocol/conformance-released/dist/index.js',
  inspector: 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
};

export interface ToolRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const installTools = (): Promise<void> => installIsolated(FOLDER);

/** Runs one of these tools to completion with exactly the given environment. */
export async function runTool(
  tool: keyof typeof files,
  args: readonly string[],
  {
    env,
    deadlineMs,
    onOutput = () => undefined,
  }: {
    readonly env: Readonly<Record<string, string>>;
    readonly deadlineMs: number;
    /** Called with each part of what it prints. */
    readonly onOutput?: (part: string) => void;
  },
): Promise<ToolRun> {
  const child = spawn(process.execPath, [join(FOLDER, files[tool]), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: deadlineMs,
    killSignal: 'SIGKILL',
  });
  child.stdout.on('data', (chunk: Buffer) => onOutput(chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}
