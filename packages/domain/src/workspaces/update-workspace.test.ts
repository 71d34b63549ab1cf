import { beforeEach, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import { ok } from '../result.js';
import { getWorkspace } from './get-workspace.js';
import { renameWorkspace } from './rename-workspace.js';
import { updateWorkspace, type UpdateWorkspace } from './update-workspace.js';

let it: TestEnvironment;
beforeEach(async () => {
  it = await createTestEnvironment();
});

const update = (changes: UpdateWorkspace, ifMatch?: string) =>
  it.atomic((ports) => updateWorkspace(ports, it.call({ ifMatch }), changes));
const rename = (name: string) => it.atomic((ports) => renameWorkspace(ports, it.operator(), { name }));
const find = () => it.repositories.workspaces.find(it.workspace.id);

test('a change that changes nothing keeps the version', async () => {
  const changes = { displayName: 'Acme Ltd', returnUrls: ['https://acme.example/back'] };
  expect(await update(changes)).toMatchObject({ value: { version: 2 } });
  for (const same of [changes, {}])
    expect(await update(same, '"2"')).toMatchObject({ value: { version: 2 } });
  expect(await update(changes, '"1"')).toMatchObject({ failure: { code: 'request.precondition_failed' } });
});

test('changes the given fields and keeps the rest', async () => {
  const changes = {
    displayName: 'Acme Ltd',
    accentColor: '#aa0000',
    returnUrls: ['https://acme.example/back'],
  };
  const expected = { ...it.workspace, ...changes, version: 2 };
  expect(await update(changes)).toEqual(ok(expected));
  expect(await find()).toEqual(expected);
  expect(await getWorkspace(it.ports, it.call())).toEqual(ok(expected));
  expect(await update({ displayName: null, returnUrls: [] })).toEqual(
    ok({ ...expected, displayName: null, returnUrls: [], version: 3 }),
  );
});

test('changes only the version that the caller read', async () => {
  await update({ displayName: 'first' }, '"1"');
  expect(await update({ displayName: 'second' }, '"1"')).toMatchObject({
    failure: { code: 'request.precondition_failed' },
  });
  expect(await find()).toMatchObject({ displayName: 'first', version: 2 });
});

test('rejects the name of another workspace and accepts its own', async () => {
  const other = it.build.workspace({ name: 'other' });
  await it.repositories.workspaces.insert(other);
  expect(await rename('other')).toMatchObject({ failure: { code: 'workspace.name_taken' } });
  expect(await rename(it.workspace.name)).toMatchObject({ ok: true });
  expect(await rename('new')).toMatchObject({ value: { id: it.workspace.id, name: 'new' } });
});

test('a workspace that was deleted meanwhile is neither read nor changed', async () => {
  const { id: workspaceId } = it.build.workspace();
  const gone = it.call({ workspaceId });
  const notThere = { failure: { code: 'workspace.not_found' } };
  expect(await getWorkspace(it.ports, gone)).toMatchObject(notThere);
  expect(await it.atomic((ports) => updateWorkspace(ports, gone, {}))).toMatchObject(notThere);
  expect(await it.atomic((ports) => renameWorkspace(ports, gone, { name: 'x' }))).toMatchObject(notThere);
});
