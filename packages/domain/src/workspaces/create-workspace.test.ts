import { expect, test } from '@jest/globals';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { createWorkspace } from './create-workspace.js';

test('a workspace is created with its data key, its default profile and an audit row', async () => {
  const it = await createTestEnvironment();
  const created = await createWorkspace(it.ports, { name: 'shop', defaultTimezone: 'Europe/Madrid' });
  if (!created.ok) throw new Error(created.failure.code);
  const { workspace, profile } = created.value;
  expect(await it.repositories.workspaces.findByName('shop')).toEqual(workspace);
  expect(await it.repositories.profiles.find(workspace.id, profile.id)).toMatchObject({
    name: 'default',
    isDefault: true,
    timezone: 'Europe/Madrid',
  });
  expect(await it.repositories.dataKeys.find(workspace.id)).toMatchObject({ version: 1 });
  expect(it.auditRows()).toMatchObject([{ action: 'createWorkspace', object: workspace.id }]);
});

test('a name that is taken creates nothing', async () => {
  const it = await createTestEnvironment();
  await createWorkspace(it.ports, { name: 'shop' });
  expect(await createWorkspace(it.ports, { name: 'shop' })).toMatchObject({
    failure: { code: 'workspace.name_taken' },
  });
  expect(await it.repositories.workspaces.list()).toHaveLength(2);
  expect(it.auditRows()).toHaveLength(1);
});

test('an unavailable vault creates nothing', async () => {
  const it = await createTestEnvironment();
  it.vault.available = false;
  expect(await createWorkspace(it.ports, { name: 'shop' })).toMatchObject({
    failure: { code: 'vault.unavailable' },
  });
  expect(await it.repositories.workspaces.findByName('shop')).toBeNull();
});
