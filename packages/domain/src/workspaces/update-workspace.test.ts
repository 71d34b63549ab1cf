import { expect, test } from '@jest/globals';
import { builders, memoryPorts } from '../../testing/index.js';
import { updateWorkspace } from './update-workspace.js';

async function setting() {
  const ports = memoryPorts();
  const build = builders(ports);
  const [workspace, other] = [build.workspace({ name: 'acme' }), build.workspace({ name: 'other' })];
  await ports.repositories.workspaces.insert(workspace);
  await ports.repositories.workspaces.insert(other);
  return { ports, workspace, find: () => ports.repositories.workspaces.find(workspace.id) };
}

test('changes what is given, keeps the rest and leaves an audit row', async () => {
  const { ports, workspace, find } = await setting();
  const updated = await updateWorkspace(ports, {
    id: workspace.id,
    displayName: 'Acme Ltd',
    returnUrls: ['https://acme.example/back'],
  });
  const expected = { ...workspace, displayName: 'Acme Ltd', returnUrls: ['https://acme.example/back'] };
  expect(updated).toEqual({ ok: true, value: expected });
  expect(await find()).toEqual(expected);
  expect(ports.auditRows()).toEqual([
    expect.objectContaining({
      workspaceId: workspace.id,
      actor: 'system:operator',
      action: 'updateWorkspace',
      object: workspace.id,
    }),
  ]);
});

test('takes a display name and the whole list of return URLs away', async () => {
  const { ports, workspace, find } = await setting();
  await updateWorkspace(ports, { id: workspace.id, displayName: 'Acme Ltd' });
  await updateWorkspace(ports, { id: workspace.id, displayName: null, returnUrls: [] });
  expect(await find()).toMatchObject({ displayName: null, returnUrls: [] });
});

test('refuses the name of another workspace and accepts its own', async () => {
  const { ports, workspace, find } = await setting();
  expect(await updateWorkspace(ports, { id: workspace.id, name: 'other' })).toMatchObject({
    failure: { code: 'workspace.name_taken' },
  });
  expect(await updateWorkspace(ports, { id: workspace.id, name: 'acme' })).toMatchObject({ ok: true });
  expect(await find()).toEqual(workspace);
});

test.each([
  'javascript:alert(1)',
  '/back',
  'https://user:pass@acme.example/',
  'https://acme.example/#part',
  'https://acme.example/\n',
  'https:\\\\acme.example',
])('refuses %j as a return URL and changes nothing', async (url) => {
  const { ports, workspace, find } = await setting();
  const refused = await updateWorkspace(ports, { id: workspace.id, name: 'new', returnUrls: [url] });
  expect(refused).toMatchObject({ failure: { code: 'request.invalid' } });
  expect(await find()).toEqual(workspace);
  expect(ports.auditRows()).toEqual([]);
});

test.each(['wsp_01kah3v5w8e2m6r9t0x4y7z1ab', 'acme', ''])('does not find %j', async (id) => {
  const { ports } = await setting();
  expect(await updateWorkspace(ports, { id, name: 'new' })).toMatchObject({
    failure: { code: 'workspace.not_found' },
  });
});
