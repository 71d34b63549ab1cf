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

test('an app is returned with its location and without its secret', async () => {
  expect(await put()).toEqual({ ok: true, value: { clientId: 'ours', source: 'workspace', version: 1 } });
  expect(await put({ profileId: other.id, clientId: 'own' })).toMatchObject({ value: { source: 'profile' } });
  expect(await get()).toEqual({ ok: true, value: { clientId: 'ours', source: 'workspace', version: 1 } });
  expect(await get(other.id)).toEqual({
    ok: true,
    value: { clientId: 'own', source: 'profile', version: 1 },
  });
  // The workspace's app serves this profile, but is not the profile's own to change.
  expect(await get(it.profile.id)).toEqual({
    ok: true,
    value: { clientId: 'ours', source: 'workspace', version: null },
  });
});

test('the operator’s app is reported as the environment’s; without any app the result is not found', async () => {
  expect(await get()).toMatchObject({ failure: { code: 'platform_app.not_found' } });
  it.clientIds.set('linkedin', 'operators');
  expect(await get(other.id)).toEqual({
    ok: true,
    value: { clientId: 'operators', source: 'environment', version: null },
  });
});

test('the secret is sealed for its app and generation, and each change creates a new generation', async () => {
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

test('each change writes one audit row, with the client id and without the secret', async () => {
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

test('deletion removes only the app of that location', async () => {
  await put();
  await put({ profileId: other.id, clientId: 'own' });
  expect(await remove(it.profile.id)).toMatchObject({ failure: { code: 'platform_app.not_found' } });
  expect(await remove(other.id)).toEqual({ ok: true });
  expect(await get(other.id)).toMatchObject({ value: { clientId: 'ours', source: 'workspace' } });
  expect(await remove()).toEqual({ ok: true });
  expect(await remove()).toMatchObject({ failure: { code: 'platform_app.not_found' } });
});

test('an app can be changed only in the version that the caller read, which requires one to exist', async () => {
  const ifMatch = (tag: string) => it.call({ ifMatch: tag });
  const stale = { failure: { code: 'request.precondition_failed' } };
  expect(await put({}, ifMatch('"1"'))).toMatchObject(stale);
  await put();
  expect(await put({}, ifMatch('"2"'))).toMatchObject(stale);
  expect(await put({}, ifMatch('"1"'))).toMatchObject({ value: { version: 2 } });
  expect(await remove(undefined, { ifMatch: '"1"' })).toMatchObject(stale);
  expect(await remove(undefined, { ifMatch: '"2"' })).toEqual({ ok: true });
});

test('a platform without app support, an unknown platform and an unknown profile are rejected', async () => {
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

test('a platform is configured for the profiles that an app serves', async () => {
  expect(await missing()).toEqual(['LINKEDIN_ID']);
  await put({ profileId: other.id });
  expect(await missing()).toEqual(['LINKEDIN_ID']);
  expect(await missing(it.profile.id)).toEqual(['LINKEDIN_ID']);
  expect(await missing(other.id)).toEqual([]);
  // A key that reaches a single profile queries that one.
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
