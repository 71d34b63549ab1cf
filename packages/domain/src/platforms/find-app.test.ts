import { beforeEach, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import type { Profile } from '../profiles/profile.js';
import { findApp } from './find-app.js';

let it: TestEnvironment;
let other: Profile;
beforeEach(async () => {
  it = await createTestEnvironment();
  it.clientIds.set('x', 'operators');
  other = it.build.profile(it.workspace);
  await it.repositories.profiles.insert(other);
});

const bring = (clientId: string, of: Profile | null) =>
  it.repositories.platformApps.insert(
    it.build.platformApp(it.workspace, { platform: 'x', clientId, profileId: of && of.id }),
  );
const find = async (of: Profile | null, clientId?: string) => {
  const wanted = { workspaceId: it.workspace.id, profileId: of && of.id, platformId: 'x', clientId };
  const found = await findApp(it.ports, wanted);
  return found && `${found.source}: ${found.clientId}`;
};

test('the profile’s own app takes precedence over the workspace’s, and that over the environment’s', async () => {
  expect(await find(it.profile)).toBe('environment: operators');
  await bring('common', null);
  expect(await find(it.profile)).toBe('workspace: common');
  await bring('own', it.profile);
  expect(await find(it.profile)).toBe('profile: own');
  expect(await find(other)).toBe('workspace: common');
  expect(await find(null)).toBe('workspace: common');
});

test('without an app there is none, and another platform’s app is not used', async () => {
  it.clientIds.clear();
  await it.repositories.platformApps.insert(it.build.platformApp(it.workspace, { platform: 'reddit' }));
  expect(await find(it.profile)).toBeNull();
});

test('a client id is found at every location, and no other app replaces it', async () => {
  await bring('common', null);
  await bring('own', other);
  expect(await find(it.profile, 'common')).toBe('workspace: common');
  expect(await find(it.profile, 'operators')).toBe('environment: operators');
  // A connection that was moved to another profile keeps its grant.
  expect(await find(it.profile, 'own')).toBe('profile: own');
  expect(await find(it.profile, 'gone')).toBeNull();
});

test('of several apps with the client id the nearest one is used, with its own secret', async () => {
  await bring('operators', other);
  expect(await find(it.profile, 'operators')).toBe('environment: operators');
  await bring('operators', null);
  expect(await find(it.profile, 'operators')).toBe('workspace: operators');
  await bring('operators', it.profile);
  expect(await find(it.profile, 'operators')).toBe('profile: operators');
});

test('another workspace’s app is never used', async () => {
  it.clientIds.clear();
  const theirs = it.build.workspace();
  await it.repositories.workspaces.insert(theirs);
  await it.repositories.platformApps.insert(
    it.build.platformApp(theirs, { platform: 'x', clientId: 'theirs' }),
  );
  expect(await find(it.profile)).toBeNull();
  expect(await find(it.profile, 'theirs')).toBeNull();
});
