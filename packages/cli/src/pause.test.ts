import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '@switchboard/bootstrap';
import { builders } from '@switchboard/domain/testing';
import type { Connection } from '@switchboard/domain/connections';
import type { Profile } from '@switchboard/domain/profiles';
import { testDatabase } from '@switchboard/persistence/testing';
import { createInstallation, type Installation } from './testing/installation.js';

let installation: Installation;
let service: Service;
let profile: Profile;
let connection: Connection;
beforeAll(async () => {
  installation = await createInstallation({ DATABASE_URL: await testDatabase('cli_pause') });
  service = await startService({ app: 'cli', logTo: 'stderr', env: installation.env });
  const { ports } = service;
  const [workspace] = await ports.workspaces.list();
  if (!workspace) throw new Error('the first start created no workspace');
  const [first] = (await ports.profiles.list(workspace.id, { reach: null }, { limit: 1 })).items;
  if (!first) throw new Error('the first start created no profile');
  profile = first;
  connection = builders(ports).connection(profile);
  await ports.transactions.run(async (tx) => {
    await tx.connections.insert(connection);
    return { ok: true, value: undefined };
  });
});
afterAll(async () => {
  await service?.close();
  await installation?.remove();
});

const run = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await installation.run(...args);
  return [code, stdout + stderr] as const;
};

test('pauses and resumes the installation, and the status says why', async () => {
  expect(await installation.json('pause', '--reason', 'Maintenance')).toEqual({
    pause: {
      cause: 'requested',
      reason: 'Maintenance',
      paused_by: 'system:operator',
      paused_at: expect.stringMatching(/Z$/),
    },
  });
  expect(await run('status')).toEqual([
    0,
    expect.stringMatching(/paused +since \S+ by system:operator \(requested\): Maintenance/),
  ]);
  expect(await installation.json('status')).toMatchObject({ pause: { reason: 'Maintenance' } });
  expect(await run('resume')).toEqual([0, expect.stringContaining('Resumed the installation')]);
  expect(await installation.json('resume')).toEqual({ pause: null, ended: null, read_back: 0 });
  expect(await installation.json('status')).toMatchObject({ pause: null });
  const rows = await service.ports.auditTrail.list(profile.workspaceId, {}, { limit: 10 });
  expect(rows.items.map(({ action, actor }) => [action, actor])).toEqual(
    expect.arrayContaining([
      ['resumeInstallation', 'system:operator'],
      ['pauseInstallation', 'system:operator'],
    ]),
  );
});

test('pauses and resumes a profile by its name, and a connection by its id', async () => {
  expect(await installation.json('pause', '--profile', profile.name, '--reason', 'Recall')).toMatchObject({
    id: profile.id,
    paused: true,
    pause: { reason: 'Recall' },
  });
  expect(await run('resume', '--profile', profile.id)).toEqual([0, `Resumed default (${profile.id}).\n`]);
  expect(await installation.json('pause', '--connection', connection.id)).toMatchObject({
    id: connection.id,
    paused: true,
  });
  expect(await run('resume', '--connection', connection.id)).toEqual([0, `Resumed ${connection.id}.\n`]);
});

test('refuses what it cannot pause', async () => {
  expect((await run('pause', '--profile', 'a', '--connection', 'b'))[0]).toBe(2);
  expect((await run('pause', '--workspace', 'default'))[0]).toBe(2);
  expect((await run('pause', '--reason', ' '))[0]).toBe(2);
  expect((await run('pause', '--profile', 'none'))[0]).toBe(1);
  expect(await run('resume', '--connection', 'con_none')).toEqual([
    1,
    expect.stringContaining('no connection'),
  ]);
  expect((await service.ports.pauses.findInstallation()).pause).toBeNull();
});
