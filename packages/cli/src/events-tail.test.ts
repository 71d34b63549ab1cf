import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testDatabase } from '@switchboard/persistence/testing';
import { createInstallation, type Installation } from './testing/installation.js';

let installation: Installation;
beforeAll(async () => {
  installation = await createInstallation({ DATABASE_URL: await testDatabase('cli_events') });
});
afterAll(() => installation.remove());

const createKey = (name: string) => installation.run('keys', 'create', '--name', name, '--preset', 'reader');

test('prints past events with --no-follow, one JSON object a line with --json', async () => {
  await createKey('first');
  const text = await installation.run('events', 'tail', '--after', 'oldest', '--no-follow');
  expect([text.code, text.stderr]).toEqual([0, '']);
  expect(text.stdout).toMatch(/^\d{4}-\S+Z {2}key\.created {16,}\{.*"key_id":"key_/m);
  const json = await installation.run(
    ...['events', 'tail', '--after', 'oldest', '--no-follow', '--json', '--type', 'key.*'],
  );
  const events = json.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string });
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['key.created']));
});

test('follows until it is interrupted, and then ends without an error', async () => {
  const running = installation.startCommand(['events', 'tail', '--after', 'oldest']);
  await running.waitForOutput(/key\.created/);
  await createKey('while it follows');
  await running.waitForOutput(/(key\.created[^\n]*\n[^]*){2}/);
  running.kill('SIGINT');
  const { code, stderr } = await running.exited;
  expect([code, stderr]).toEqual([0, '']);
});

test('refuses an unknown type and an invented position', async () => {
  const type = await installation.run('events', 'tail', '--type', 'post.never');
  expect([type.code, type.stderr]).toEqual([2, expect.stringMatching(/post\.\*/)]);
  const after = await installation.run('events', 'tail', '--after', 'invented', '--no-follow');
  expect([after.code, after.stdout]).toEqual([1, '']);
});
