import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { freePort, testDatabase } from '@switchboard/persistence/testing';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInstallation, type Installation } from './testing/installation.js';

jest.setTimeout(180_000);

const SECRET = 'a-secret-that-must-not-leak';

let installation: Installation;
let secretFile: string;
beforeAll(async () => {
  installation = await createInstallation({
    DATABASE_URL: await testDatabase('cli_platforms'),
    PORT: String(await freePort()),
  });
  secretFile = path.join(installation.dataDir, 'client-secret');
  await writeFile(secretFile, `${SECRET}\n`, { mode: 0o600 });
});
afterAll(() => installation.remove());

const setup = async (...args: readonly string[]) =>
  (await installation.json<{ readonly app: unknown }>('platforms', 'setup', 'sandbox_social', ...args)).app;

test('sets an app of the workspace with a secret from a file, and shows it without the secret', async () => {
  expect(await setup()).toEqual({ client_id: 'switchboard-sandbox', source: 'environment' });
  const args = ['platforms', 'configure', 'sandbox_social', '--client-id', 'ours'];
  const { code, stdout, stderr } = await installation.run(
    ...args,
    '--client-secret-file',
    secretFile,
    '--json',
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    id: 'sandbox_social',
    client_id: 'ours',
    secret_set: true,
    source: 'workspace',
  });
  expect(stdout).not.toContain(SECRET);
  expect(await setup()).toEqual({ client_id: 'ours', source: 'workspace' });
  const lines = await installation.run('platforms', 'setup', 'sandbox_social');
  expect(lines.stdout).toMatch(/^redirect URI {2}http:\S+\/oauth\/callback\/sandbox_social$/m);
  expect(lines.stdout).toMatch(/^app {11}ours \(workspace\) \(default\)$/m);
  expect((await installation.run('doctor', '--platform', 'sandbox_social')).stdout).toContain(
    'can be connected; 1 workspace has an app of its own',
  );
});

test('sets a profile’s app with a secret from a pipe, and removes it', async () => {
  const place = ['platforms', 'configure', 'sandbox_social', '--profile', 'default'];
  const set = await installation.runWithInput(`${SECRET}\n`, ...place, '--client-id', 'its-own');
  expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining('the profile default') });
  expect(await setup('--profile', 'default')).toEqual({ client_id: 'its-own', source: 'profile' });
  expect(await setup()).toEqual({ client_id: 'ours', source: 'workspace' });
  expect(await installation.json(...place, '--remove')).toEqual({ id: 'sandbox_social', removed: true });
  expect(await setup('--profile', 'default')).toEqual({ client_id: 'ours', source: 'workspace' });
  expect(await installation.run(...place, '--remove')).toMatchObject({ code: 1, stdout: '' });
  expect(JSON.stringify(set)).not.toContain(SECRET);
});

test('changes nothing without a secret, without a client id, and where a platform takes no app', async () => {
  const configure = ['platforms', 'configure', 'sandbox_social'];
  for (const args of [
    [...configure, '--client-id', 'other'],
    [...configure],
    [...configure, '--remove', '--client-id', 'other'],
    [...configure, '--client-id', 'other', '--client-secret-file', path.join(installation.dataDir, 'none')],
    [...configure, '--client-id', 'o\tther', '--client-secret-file', secretFile],
    [...configure, '--client-id', 'other', '--client-secret', SECRET],
  ]) {
    const { code, stderr } = await installation.run(...args);
    expect([code, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).not.toContain(SECRET);
  }
  const bluesky = [
    'platforms',
    'configure',
    'bluesky',
    '--client-id',
    'x',
    '--client-secret-file',
    secretFile,
  ];
  expect(await installation.run(...bluesky)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('without a custom app'),
  });
  expect(await setup()).toEqual({ client_id: 'ours', source: 'workspace' });
});
