import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

export interface StdioTimes {
  /** Milliseconds from the spawn. */
  readonly initialized: number;
  readonly listed: number;
}

/** Starts an MCP server over stdio, sends the first two requests of every client, and stops it. */
export async function stdioTimes(file: string, env: Readonly<Record<string, string>>): Promise<StdioTimes> {
  const beganMs = performance.now();
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const request = async (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const line = await lines.next();
    if (line.done === true || !line.value.includes('"result"'))
      throw new Error(`${file} returned ${line.done === true ? 'nothing' : line.value}`);
    return performance.now() - beganMs;
  };
  try {
    const initialized = await request({
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1' },
      },
    });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    const listed = await request({ id: 2, method: 'tools/list' });
    return { initialized, listed };
  } finally {
    child.stdin.end();
    const killTimer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(killTimer);
  }
}
