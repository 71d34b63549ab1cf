import { beforeEach, expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import { unrestrictedPolicy } from '../access/policy.js';
import type { Call } from '../call.js';
import type { ConnectMethod } from '../ports/index.js';
import type { Profile } from '../profiles/profile.js';
import { deletePlatformApp } from './delete-platform-app.js';
import { getPlatformApp } from './get-platform-app.js';
import { getPlatform } from './get-platform.js';
import { listPlatforms } from './list-platforms.js';
import { appBinding } from './platform-app.js';
import { updatePlatformApp, type UpdatePlatformApp } from './update-platform-app.js';

const withApp: ConnectMethod = {
  id: 'oauth',
  scheme: 'oauth2',
  label: 'Connect',
  fields: [],
  needsApp: true,
};

let it: TestEnvironment;
let other: Profile;
beforeEach(async () => {
  it = await createTestEnvironment([
    memorySocial({ id: 'linkedin', manifest: { name: 'LinkedIn', connect: [withApp] } }),
    memorySocial({ id: 'bluesky' }),
  ]);
  it.missing.set('linkedin', ['LINKEDIN_ID']);
  other = it.build.profile(it.workspace);
  await it.repositories.profiles.insert(other);
});

const put = (over: Partial<UpdatePlatformApp> = {}, call: Call = it.call()) =>
  updatePlatformApp(it.ports, call, { id: 'linkedin', clientId: 'ours', clientSecret: 's3cret', ...over });
const get = (profileId?: string, id = 'linkedin') => getPlatformApp(it.ports, it.call(), { id, profileId });
const remove = (profileId?: string, over: Partial<Call> = {}) =>
  it.atomic((ports) => deletePlatformApp(ports, it.call(over), { id: 'linkedin', profileId }));
const missing = async (profileId?: string, call = it.call()) => {
  const listed = await listPlatforms(it.ports, call, { profileId });
  if (!listed.ok) return listed.failure.code;
  return listed.value.flatMap((facts) => facts.missing);
};

test('an app is read as whose it is, and without its secret', async () => {
  expect(await put()).toEqual({ ok: true, value: { clientId: 'ours', source: 'workspace', version: 1 } });
  expect(await put({ profileId: other.id, clientId: 'own' })).toMatchObject({ value: { source: 'profile' } });
  expect(await get()).toEqual({ ok: true, value: { clientId: 'ours', source: 'workspace', version: 1 } });
  expect(await get(other.id)).toEqual({
    ok: true,
    value: { clientId: 'own', source: 'profile', version: 1 },
  });
  // The workspace's serves this profile, but is not its own to change.
  expect(await get(it.profile.id)).toEqual({
    ok: true,
    value: { clientId: 'ours', source: 'workspace', version: null },
  });
});

test('the operator’s app is told as the environment’s, and none is not found', async () => {
  expect(await get()).toMatchObject({ failure: { code: 'platform_app.not_found' } });
  it.clientIds.set('linkedin', 'operators');
  expect(await get(other.id)).toEqual({
    ok: true,
    value: { clientId: 'operators', source: 'environment', version: null },
  });
});

test('the secret is sealed for its app and generation, and each change is another generation', async () => {
  await put();
  const first = await it.repositories.platformApps.find(it.workspace.id, 'linkedin', null);
  await put({ clientSecret: 'rotated' });
  const second = await it.repositories.platformApps.find(it.workspace.id, 'linkedin', null);
  const vault = await it.vault.unlock(it.workspace.id);
  if (!first || !second || !vault.ok) throw new Error('nothing was stored');
  const open = (generation: number, sealed: Uint8Array) => {
    const opened = vault.value.open(appBinding(second.id, generation), sealed);
    return opened.ok ? opened.value.reveal() : opened.failure.code;
  };
  expect([first.generation, second.generation]).toEqual([1, 2]);
  expect(open(2, second.sealedSecret)).toBe('rotated');
  expect(open(2, first.sealedSecret)).toBe('vault.unreadable');
});

test('each change leaves one row in the audit log, with the client id and without the secret', async () => {
  await put({ profileId: other.id });
  await remove(other.id);
  expect(it.auditRows().map(({ action, outcome, details }) => ({ action, outcome, details }))).toEqual(
    ['updatePlatformApp', 'deletePlatformApp'].map((action) => ({
      action,
      outcome: 'ok',
      details: { surface: 'rest', platform: 'linkedin', profile_id: other.id, client_id: 'ours' },
    })),
  );
  expect(JSON.stringify(it.auditRows())).not.toContain('s3cret');
});

test('what is removed is the app of that place alone', async () => {
  await put();
  await put({ profileId: other.id, clientId: 'own' });
  expect(await remove(it.profile.id)).toMatchObject({ failure: { code: 'platform_app.not_found' } });
  expect(await remove(other.id)).toEqual({ ok: true });
  expect(await get(other.id)).toMatchObject({ value: { clientId: 'ours', source: 'workspace' } });
  expect(await remove()).toEqual({ ok: true });
  expect(await remove()).toMatchObject({ failure: { code: 'platform_app.not_found' } });
});

test('an app changes only in the version that the caller saw, and nobody saw one that is not there', async () => {
  const ifMatch = (tag: string) => it.call({ ifMatch: tag });
  const stale = { failure: { code: 'request.precondition_failed' } };
  expect(await put({}, ifMatch('"1"'))).toMatchObject(stale);
  await put();
  expect(await put({}, ifMatch('"2"'))).toMatchObject(stale);
  expect(await put({}, ifMatch('"1"'))).toMatchObject({ value: { version: 2 } });
  expect(await remove(undefined, { ifMatch: '"1"' })).toMatchObject(stale);
  expect(await remove(undefined, { ifMatch: '"2"' })).toEqual({ ok: true });
});

test('a platform that takes no app, none at all and a profile of nobody are refused', async () => {
  expect(await put({ id: 'bluesky' })).toMatchObject({ failure: { code: 'platform.app_unsupported' } });
  expect(await get(undefined, 'bluesky')).toMatchObject({ failure: { code: 'platform.app_unsupported' } });
  expect(await put({ id: 'myspace' })).toMatchObject({ failure: { code: 'platform.not_found' } });
  const theirs = it.build.profile(it.build.workspace());
  for (const profileId of ['nonsense', theirs.id]) {
    expect(await put({ profileId })).toMatchObject({ failure: { code: 'profile.not_found' } });
    expect(await get(profileId)).toMatchObject({ failure: { code: 'profile.not_found' } });
    expect(await remove(profileId)).toMatchObject({ failure: { code: 'profile.not_found' } });
  }
});

test('without the vault nothing is stored', async () => {
  it.vault.available = false;
  expect(await put()).toMatchObject({ failure: { code: 'vault.unavailable' } });
  expect(await get()).toMatchObject({ failure: { code: 'platform_app.not_found' } });
});

test('a platform is configured for whom an app serves', async () => {
  expect(await missing()).toEqual(['LINKEDIN_ID']);
  await put({ profileId: other.id });
  expect(await missing()).toEqual(['LINKEDIN_ID']);
  expect(await missing(it.profile.id)).toEqual(['LINKEDIN_ID']);
  expect(await missing(other.id)).toEqual([]);
  // A key that reaches one profile alone asks for that one.
  expect(await missing(undefined, it.call({}, { ...unrestrictedPolicy, profileIds: [other.id] }))).toEqual(
    [],
  );
  await put();
  expect(await missing()).toEqual([]);
  expect(await missing('nonsense')).toBe('profile.not_found');
  expect(await getPlatform(it.ports, it.call(), { id: 'linkedin' })).toMatchObject({
    value: { missing: [] },
  });
  const elsewhere = it.call({ workspaceId: it.build.workspace().id });
  expect(await missing(undefined, elsewhere)).toEqual(['LINKEDIN_ID']);
});
