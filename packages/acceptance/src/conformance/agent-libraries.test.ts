import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { catalog } from '@switchboard/operations';
import { installIsolated } from '../support/install-isolated.js';
import type { Switchboard } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';

const FOLDER = fileURLToPath(new URL('../../mcp-clients/', import.meta.url));
const INSTALL_AND_START_MS = 6 * 60_000;
const CALLS_MS = 60_000;

let switchboard: Switchboard;
beforeAll(async () => {
  await installIsolated(FOLDER);
  switchboard = await startSwitchboard({ name: 'agent_libraries', mcp: true });
}, INSTALL_AND_START_MS);
afterAll(() => switchboard?.stop());

test.each(['google', 'openai', 'vercel', 'langchain'])(
  'the MCP code of %s lists the tools, calls one and reads a failure',
  async (library) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(FOLDER, 'run.mjs'),
      ...[library, switchboard.mcpUrl, switchboard.keys.full],
    ]);
    const { tools, strict, result, failure } = JSON.parse(stdout) as Record<string, unknown>;
    expect(tools).toEqual(expect.arrayContaining(['create_post', 'quote_refund', 'whoami']));
    expect(tools).toHaveLength(catalog.filter(({ tool }) => tool !== null).length);
    // In OpenAI's strict mode, wherever the schema allows it.
    if (library === 'openai') expect(strict).toBeGreaterThan(20);
    expect(JSON.stringify(result)).toContain('sandbox_social');
    expect(JSON.stringify(failure)).toContain('post.not_found');
  },
  CALLS_MS,
);
