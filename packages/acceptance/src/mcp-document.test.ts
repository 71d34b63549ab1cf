import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sandboxControl } from './support/sandbox-control.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { buildTestWorld } from './support/test-world.js';

/** Executes every command of docs/mcp.md in one shell: the page shows what the protocol does. */
const PAGE = fileURLToPath(new URL('../../../docs/mcp.md', import.meta.url));

let switchboard: Switchboard;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'mcp_document', mcp: true });
  await buildTestWorld(switchboard.url, switchboard.keys.full, { social: 'maren-holt', store: 'alder-oak' });
});
afterAll(() => switchboard?.stop());

test('every command of the page about MCP prints what the page describes', async () => {
  const page = await readFile(PAGE, 'utf8');
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const script = blocks
    .join('\n')
    .replace('http://127.0.0.1:3001/mcp', switchboard.mcpUrl)
    .replace('$(cat .switchboard/api-key)', switchboard.keys.full);
  const sandbox = sandboxControl(switchboard.sandboxUrl);
  const before = (await sandbox.ledger('refund.created')).length;
  // Without the files that bash reads when it takes its standard input for a connection.
  const options = ['--norc', '-euo', 'pipefail', '-c', script];
  const { stdout, stderr } = await promisify(execFile)('bash', options);
  expect(stderr).toBe('');
  const text = expect.stringMatching(/^The key .* with \d+ scopes,/);
  const number = expect.stringMatching(/^\d+$/);
  // The text of a tool result is a sentence and, on the next line, its JSON.
  const lines = stdout.split('\n').filter((line) => !line.startsWith('{'));
  const question = lines.findIndex((line) => /^Refund 1\.00 EUR of order \S+\?$/.test(line));
  expect(lines.slice(0, question)).toEqual([
    ...['switchboard', number, text],
    ...['2026-07-28', number, text, 'application/json', 'input_required'],
  ]);
  expect(lines.slice(-4)).toEqual([
    'refund.not_confirmed',
    expect.stringMatching(/^Refunded 1\.00 EUR/),
    'succeeded',
    '',
  ]);
  expect((await sandbox.ledger('refund.created')).length).toBe(before + 1);
});
