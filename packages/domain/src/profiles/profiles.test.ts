import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import type { KeyPolicy } from '../access/policy.js';
import { createProfile } from './create-profile.js';
import { deleteProfile } from './delete-profile.js';
import { getProfile } from './get-profile.js';
import { listProfiles } from './list-profiles.js';
import { updateProfile } from './update-profile.js';

const bound = (it: TestEnvironment): Partial<KeyPolicy> => ({ profileIds: [it.profile.id] });
async function another(it: TestEnvironment) {
  const profile = it.build.profile(it.workspace);
  await it.repositories.profiles.insert(profile);
  return profile;
}

test('a profile inherits the time zone of its workspace, and a restricted key cannot create one', async () => {
  const it = await createTestEnvironment();
  const create = (policy = {}) =>
    it.atomic((ports) => createProfile(ports, it.call({}, policy), { name: 'Roastery' }));
  expect(await create()).toMatchObject({ value: { timezone: 'Europe/Madrid', isDefault: false } });
  expect(await create(bound(it))).toMatchObject({ failure: { code: 'key.policy_exceeded' } });
});

test('unreachable, foreign, missing and malformed ids get the same refusal', async () => {
  const it = await createTestEnvironment();
  const other = await another(it);
  const foreignProfile = it.build.profile(it.build.workspace());
  await it.repositories.profiles.insert(foreignProfile);
  const ask = (id: string) => getProfile(it.ports, it.call({}, bound(it)), { id });
  const missing = await ask(it.ids.next('prf'));
  expect(missing).toMatchObject({ failure: { code: 'profile.not_found' } });
  for (const id of [other.id, foreignProfile.id, 'nonsense', '']) expect(await ask(id)).toEqual(missing);
  expect(await ask(it.profile.id)).toMatchObject({ ok: true });
});

test('a list contains the reachable profiles, and its cursor is valid for that reach only', async () => {
  const it = await createTestEnvironment();
  await another(it);
  const list = (policy: Partial<KeyPolicy>, cursor?: string) =>
    listProfiles(it.ports, it.call({}, policy), { limit: 1, cursor });
  expect(await list(bound(it))).toMatchObject({
    value: { items: [{ id: it.profile.id }], nextCursor: null },
  });
  const all = await list({});
  const cursor = all.ok ? (all.value.nextCursor ?? '') : '';
  expect(await list({}, cursor)).toMatchObject({ value: { items: [{ id: it.profile.id }] } });
  expect(await list(bound(it), cursor)).toMatchObject({ failure: { code: 'request.invalid_cursor' } });
});

test('a change requires the version that was read, where one is sent', async () => {
  const it = await createTestEnvironment();
  const change = (name: string, ifMatch?: string) =>
    it.atomic((ports) => updateProfile(ports, it.call({ ifMatch }), { id: it.profile.id, name }));
  const changed = await Promise.all([change('one', '"1"'), change('two', '"1"')]);
  expect(changed.filter((one) => one.ok)).toHaveLength(1);
  expect(changed).toMatchObject([{}, { failure: { code: 'request.precondition_failed' } }]);
  expect(await change('three')).toMatchObject({ value: { name: 'three', version: 3 } });
});

test('a change that changes nothing keeps the version', async () => {
  const it = await createTestEnvironment();
  const { id, name, externalId } = it.profile;
  const change = (fields: Partial<Parameters<typeof updateProfile>[2]>, ifMatch?: string) =>
    it.atomic((ports) => updateProfile(ports, it.call({ ifMatch }), { id, ...fields }));
  const set = { name, externalId, timezone: 'Europe/Madrid', metadata: { tier: 'gold', city: 'Vigo' } };
  expect(await change(set)).toMatchObject({ value: { version: 2 } });
  const same = { ...set, metadata: { city: 'Vigo', tier: 'gold' } };
  for (const fields of [same, {}])
    expect(await change(fields, '"2"')).toMatchObject({ value: { version: 2 } });
  expect(await change(same, '"1"')).toMatchObject({ failure: { code: 'request.precondition_failed' } });
});

describe('deleting', () => {
  const remove = (it: TestEnvironment, id: string, cascade?: boolean) =>
    it.atomic((ports) => deleteProfile(ports, it.call(), { id, cascade }));

  test('is rejected for the default profile, and for one with connections', async () => {
    const it = await createTestEnvironment();
    expect(await remove(it, it.profile.id)).toMatchObject({ failure: { code: 'profile.is_default' } });
    const other = await another(it);
    const connection = await it.connect({}, other);
    expect(await remove(it, other.id)).toMatchObject({
      failure: { code: 'profile.in_use', details: { connections: 1, scheduledPosts: 0 } },
    });
    await it.repositories.connections.delete(it.workspace.id, connection.id);
    expect(await remove(it, other.id)).toMatchObject({ ok: true });
    expect(await remove(it, other.id)).toMatchObject({ failure: { code: 'profile.not_found' } });
  });

  test('with cascade disconnects its accounts, cancels its posts, and affects no other profile', async () => {
    const it = await createTestEnvironment();
    const other = await another(it);
    const [mine, theirs] = [await it.connect(), await it.connect({}, other)];
    const post = it.build.post(other, [theirs]);
    await it.repositories.posts.insert(post);
    expect(await remove(it, other.id)).toMatchObject({
      failure: { details: { connections: 1, scheduledPosts: 1 } },
    });
    expect(await remove(it, other.id, true)).toMatchObject({ ok: true });
    expect(await it.repositories.connections.find(it.workspace.id, theirs.id)).toBeNull();
    expect(await it.repositories.connections.find(it.workspace.id, mine.id)).not.toBeNull();
    expect(it.events()).toMatchObject([
      { type: 'connection.disconnected', data: { connection_id: theirs.id, cancelled_deliveries: 1 } },
    ]);
    expect(it.auditRows()).toMatchObject([
      { action: 'disconnectConnection', object: theirs.id, details: { profile_id: other.id } },
    ]);
    expect(await remove(it, it.profile.id, true)).toMatchObject({ failure: { code: 'profile.is_default' } });
    expect(await it.repositories.connections.find(it.workspace.id, mine.id)).not.toBeNull();
  });
});
