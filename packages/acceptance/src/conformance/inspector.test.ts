import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { asObject, asObjects, type JsonObject } from '../support/json.js';
import { programs } from '../support/programs.js';
import type { Switchboard } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { installTools, runTool } from './run-tool.js';

const INSTALL_AND_START_MS = 6 * 60_000;
const CALL_MS = 30_000;

/** The Inspector's own exit codes. */
const FINE = 0;
const FAILED = 1;
const KEY_REQUIRED = 3;
const TOOL_FAILED = 5;

let switchboard: Switchboard;
let home: string;
beforeAll(async () => {
  await installTools();
  // The directory in which the Inspector stores servers and logins.
  home = await mkdtemp(join(tmpdir(), 'switchboard-inspector-'));
  switchboard = await startSwitchboard({ name: 'inspector', mcp: true });
}, INSTALL_AND_START_MS);
afterAll(async () => {
  await switchboard?.stop();
  await rm(home, { recursive: true, force: true });
});

const overStdio = (key: string | null) => [
  ...[process.execPath, programs.mcpStdio],
  ...Object.entries({ ...switchboard.env, ...(key && { SWITCHBOARD_API_KEY: key }) }).flatMap(
    ([name, value]) => ['-e', `${name}=${value}`],
  ),
];
const overHttp = (key: string | null) => [
  ...[switchboard.mcpUrl, '--transport', 'http', '--stored-auth-only'],
  ...(key ? ['--header', `Authorization: Bearer ${key}`] : []),
];

/** What the Inspector negotiates: the kind of the revision, and the revision that results. */
const eras = [
  { era: 'legacy', revision: '2025-11-25' },
  { era: 'auto', revision: '2026-07-28' },
  { era: 'modern', revision: '2026-07-28' },
];

describe.each(
  [
    {
      over: 'stdio',
      target: overStdio,
      keyless: { code: FAILED, expectOutput: 'SWITCHBOARD_API_KEY is not set' },
    },
    { over: 'HTTP', target: overHttp, keyless: { code: KEY_REQUIRED, expectOutput: 'auth_required' } },
  ].flatMap((connection) => eras.map((era) => ({ ...connection, ...era }))),
)('the Inspector over $over in its era $era', ({ over, target, keyless, era, revision }) => {
  const inspectWithKey = async (key: string | null, method: string, ...more: readonly string[]) => {
    const options = ['--protocol-era', era, '--format', 'json'];
    const args = ['--cli', ...target(key), '--method', method, ...more, ...options];
    const toolRun = await runTool('inspector', args, { env: { HOME: home }, deadlineMs: CALL_MS });
    const printed = toolRun.stdout === '' ? {} : (JSON.parse(toolRun.stdout) as JsonObject);
    return { ...toolRun, result: printed['result'] === undefined ? null : asObject(printed['result']) };
  };
  const inspect = (method: string, ...more: readonly string[]) =>
    inspectWithKey(switchboard.keys.full, method, ...more);

  test('initializes', async () => {
    expect(await inspect('initialize')).toMatchObject({
      code: FINE,
      result: { serverInfo: { name: 'switchboard' }, protocolVersion: revision },
    });
  });

  test('finds no error in any tool schema', async () => {
    const { code, result, stderr } = await inspect('tools/list', '--strict');
    const [summary = ''] = /\d+ errors?, \d+ warnings? across \d+ tools?/.exec(stderr) ?? [];
    process.stdout.write(`Over ${over}: ${summary}.\n`);
    expect({ code, stderr }).toMatchObject({ code: FINE });
    expect(summary).toMatch(/^0 errors, /);
    expect(result?.['tools']).toContainEqual(expect.objectContaining({ name: 'create_post' }));
  });

  test('calls a tool', async () => {
    expect(await inspect('tools/call', '--tool-name', 'list_platforms')).toMatchObject({
      code: FINE,
      result: {
        isError: false,
        structuredContent: {
          data: expect.arrayContaining([expect.objectContaining({ id: 'sandbox_social' })]),
        },
      },
    });
  });

  test('distinguishes a tool error from a tool result', async () => {
    const given = ['--tool-name', 'get_post', '--tool-args-json', '{"id":"pst_0"}'];
    expect(await inspect('tools/call', ...given)).toMatchObject({
      code: TOOL_FAILED,
      stderr: expect.stringContaining('tool_is_error'),
      result: { isError: true, structuredContent: { code: 'post.not_found' } },
    });
  });

  test('lists resources and templates, and reads a resource', async () => {
    const uri = 'switchboard://platforms/sandbox_social';
    expect(await inspect('resources/list')).toMatchObject({
      code: FINE,
      result: { resources: expect.arrayContaining([expect.objectContaining({ uri })]) },
    });
    const { code, result } = await inspect('resources/templates/list');
    const templates = asObjects(result?.['resourceTemplates']).map(({ uriTemplate }) => uriTemplate);
    expect({ code, templates }).toEqual({
      code: FINE,
      templates: ['platforms', 'connections', 'posts'].map((name) => `switchboard://${name}/{id}`),
    });
    expect(await inspect('resources/read', '--uri', uri)).toMatchObject({
      code: FINE,
      result: { contents: [{ uri, text: expect.stringContaining('"id":"sandbox_social"') }] },
    });
  });

  test('lists prompts and gets one', async () => {
    const { code, result } = await inspect('prompts/list');
    const names = asObjects(result?.['prompts']).map(({ name }) => name);
    expect({ code, names }).toEqual({
      code: FINE,
      names: ['plan_week', 'review_performance', 'handle_refund_request'],
    });
    expect(await inspect('prompts/get', '--prompt-name', 'review_performance')).toMatchObject({
      code: FINE,
      result: { messages: [{ role: 'user', content: { text: expect.stringContaining('get_analytics') } }] },
    });
  });

  test('reports a missing key', async () => {
    expect(await inspectWithKey(null, 'initialize')).toMatchObject({
      code: keyless.code,
      stderr: expect.stringContaining(keyless.expectOutput),
      result: null,
    });
  });
});
