import { configFor, root } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { printNotice } from '../print-notice.js';

export const start = (program: Command) =>
  program
    .command('start')
    .description('build if necessary and run REST, worker, sandbox and MCP over HTTP')
    .action(async function (this: Command) {
      const { json = false } = this.optsWithGlobals<{ json?: boolean }>();
      const config = configFor('cli');
      const urls = { rest_url: config.publicUrl, mcp_url: `${config.mcpPublicUrl}/mcp` };
      process.exitCode = await runScript(json ? urls : null);
    });

/**
 * Runs the repository's start script to its end. With `ready`, stdout contains only that, as soon as every
 * process is ready.
 */
function runScript(ready: object | null): Promise<number> {
  const child = spawn(process.execPath, [path.join(root, 'scripts/start.mjs')], {
    cwd: root,
    stdio: ['inherit', ready ? 'pipe' : 'inherit', 'inherit'],
  });
  // A terminal signals the child as well, which ignores the second signal.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      printNotice(line);
      if (line.startsWith('MCP is ready')) process.stdout.write(`${JSON.stringify(ready, null, 2)}\n`);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
