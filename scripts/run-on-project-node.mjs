import { spawn } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const MAJOR = 24;

/**
 * Programs that others start (a terminal, an MCP client) may run on any Node.js. This runs the program `file`
 * again on the Node.js of this repository, with the same arguments and streams, and never resolves; on the
 * right Node.js it resolves at once. Works on Node.js 20 and newer.
 */
export async function runOnProjectNode(file) {
  if (Number(process.versions.node.split('.')[0]) === MAJOR) return;
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  const node = path.join(root, 'node_modules/node/bin', binary);
  const child = spawn(node, [file, ...process.argv.slice(2)], { stdio: 'inherit', windowsHide: true });
  // A terminal signals the whole group, a supervisor only this process; a second signal is harmless.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', () => {
    console.error(`Switchboard is not installed: ${node} is missing. Run: npx -y pnpm@12 install`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  await new Promise(() => undefined);
}
