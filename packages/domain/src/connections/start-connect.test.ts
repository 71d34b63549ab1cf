import { describe, expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import type { KeyPolicy } from '../access/policy.js';
import { finishConnect } from './finish-connect.js';
import { getConnectSession } from './get-connect-session.js';
import { openConnect } from './open-connect.js';
import { startConnect, type StartConnect } from './start-connect.js';

const start = (it: TestEnvironment, command: Partial<StartConnect> = {}, policy: Partial<KeyPolicy> = {}) =>
  it.atomic((ports) => startConnect(ports, it.call({}, policy), { expiresInMinutes: 30, ...command }));
const both = () => createTestEnvironment([memorySocial(), memorySocial({ id: 'bluesky' })]);

test('a session stores a digest of its token, and the URL holds the token', async () => {
  const it = await createTestEnvironment();
  const started = await start(it, { metadata: { customer: '7' }, externalId: 'x' });
  if (!started.ok) throw new Error(started.failure.code);
  const { session, url } = started.value;
  const token = url.split('/').at(-1) ?? '';
  expect(url).toBe(`https://switchboard.example/connect/${token}`);
  const stored = await it.repositories.connectSessions.find(it.workspace.id, session.id);
  expect(stored).toEqual(session);
  expect(stored).toMatchObject({ status: 'pending', metadata: { customer: '7' }, externalId: 'x' });
  expect(JSON.stringify(stored)).not.toContain(token);
  const opened = await openConnect(it.ports, token, null);
  expect(opened).toMatchObject({ value: { session: { id: session.id }, workspace: it.workspace } });
  expect(await openConnect(it.ports, 'another', null)).toMatchObject({
    failure: { code: 'connect_session.not_found' },
  });
});

describe('the platforms to choose from', () => {
  const platforms = async (it: TestEnvironment, command: Partial<StartConnect> = {}) => {
    const started = await start(it, command);
    return started.ok ? started.value.session.platforms : started.failure.code;
  };

  test('are all configured ones, the one, or the named ones, without duplicates', async () => {
    const it = await both();
    expect(await platforms(it)).toEqual(['sandbox_social', 'bluesky']);
    expect(await platforms(it, { platform: 'bluesky' })).toEqual(['bluesky']);
    expect(await platforms(it, { platforms: ['bluesky', 'bluesky'] })).toEqual(['bluesky']);
    it.missing.set('bluesky', ['BLUESKY_ID']);
    expect(await platforms(it)).toEqual(['sandbox_social']);
  });

  test('are rejected when unknown, not configured, or given in two ways', async () => {
    const it = await both();
    it.missing.set('bluesky', ['BLUESKY_ID', 'BLUESKY_SECRET']);
    expect(await platforms(it, { platform: 'nonsense' })).toBe('platform.not_found');
    expect(await start(it, { platforms: ['sandbox_social', 'bluesky'] })).toMatchObject({
      failure: { code: 'platform.not_configured', details: { missing: ['BLUESKY_ID', 'BLUESKY_SECRET'] } },
    });
    expect(await platforms(it, { platform: 'bluesky', platforms: ['sandbox_social'] })).toBe(
      'request.invalid',
    );
    it.missing.set('sandbox_social', ['SANDBOX']);
    expect(await platforms(it)).toBe('platform.not_configured');
  });
});

test('a platform can be connected for a profile that has its own app, and not for another profile', async () => {
  const it = await createTestEnvironment();
  it.missing.set('sandbox_social', ['SANDBOX_ID']);
  const { profile } = it;
  const other = it.build.profile(it.workspace);
  await it.repositories.profiles.insert(other);
  await it.repositories.platformApps.insert(it.build.platformApp(it.workspace, { profileId: profile.id }));
  const at = (profileId: string) => start(it, { platform: 'sandbox_social', profileId });
  expect(await at(other.id)).toMatchObject({ failure: { code: 'platform.not_configured' } });
  const started = await at(profile.id);
  if (!started.ok) throw new Error(started.failure.code);
  const token = started.value.url.split('/').at(-1) ?? '';
  expect(await openConnect(it.ports, token, null)).toMatchObject({ value: { platforms: [{ missing: [] }] } });
});

describe('the profile', () => {
  test('is required when the key reaches several', async () => {
    const it = await createTestEnvironment();
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    expect(await start(it)).toMatchObject({
      failure: {
        code: 'connect.profile_required',
        candidates: [{ profile_id: other.id }, { profile_id: it.profile.id }],
      },
    });
    expect(await start(it, {}, { profileIds: [other.id] })).toMatchObject({
      value: { session: { profileId: other.id } },
    });
    expect(await start(it, { profileId: it.profile.id }, { profileIds: [other.id] })).toMatchObject({
      failure: { code: 'profile.not_found' },
    });
  });
});

describe('reconnecting', () => {
  test('uses the account’s own platform and profile', async () => {
    const it = await both();
    const { id } = await it.connect({ platform: 'bluesky', status: 'needs_reauth' });
    expect(await start(it, { connectionId: id })).toMatchObject({
      value: { session: { reconnects: id, profileId: it.profile.id, platforms: ['bluesky'] } },
    });
  });

  test('is rejected out of reach, with another profile or platform, and when nothing is configured', async () => {
    const it = await both();
    const { id: connectionId } = await it.connect({ platform: 'bluesky' });
    const code = async (command: Partial<StartConnect>, policy: Partial<KeyPolicy> = {}) => {
      const started = await start(it, { connectionId, ...command }, policy);
      return started.ok ? 'ok' : started.failure.code;
    };
    expect(await code({}, { profileIds: [] })).toBe('connection.not_found');
    expect(await code({ platform: 'sandbox_social' })).toBe('request.invalid');
    expect(await code({ profileId: it.ids.next('prf') })).toBe('request.invalid');
    expect(await code({ platform: 'bluesky', profileId: it.profile.id })).toBe('ok');
    it.missing.set('bluesky', ['BLUESKY_ID']);
    expect(await code({})).toBe('platform.not_configured');
  });
});

test.each([
  ['https://app.example/done', true],
  ['https://app.example/done/', false],
  ['https://app.example/done?x=1', false],
  ['https://app.example/done#x', false],
  ['https://user@app.example/done', false],
  ['https://evil.example/done', false],
  ['javascript:alert(1)', false],
  ['http://127.0.0.1:3000/done', false],
  [' https://app.example/done', false],
])('in production, return URL %j is allowed: %s', async (returnUrl, allowed) => {
  const it = await createTestEnvironment();
  const started = await start(it, { returnUrl });
  expect(started.ok ? 'ok' : started.failure.code).toBe(allowed ? 'ok' : 'connect.return_url_not_allowed');
});

describe('an unused session', () => {
  test('is reported as expired when read, opened or cancelled', async () => {
    const it = await createTestEnvironment();
    const started = await start(it, { expiresInMinutes: 1 });
    if (!started.ok) throw new Error(started.failure.code);
    const { session, url } = started.value;
    it.clock.advance(60_000);
    const expired = { status: 'expired', error: { code: 'expired' } };
    expect(await getConnectSession(it.ports, it.call(), { id: session.id })).toMatchObject({
      value: expired,
    });
    expect(await openConnect(it.ports, url.split('/').at(-1) ?? '', null)).toMatchObject({
      value: { session: expired },
    });
    expect(await finishConnect(it.ports, session)).toMatchObject(expired);
  });

  test('is not found out of the key’s reach', async () => {
    const it = await createTestEnvironment();
    const started = await start(it);
    if (!started.ok) throw new Error(started.failure.code);
    const { id } = started.value.session;
    expect(await getConnectSession(it.ports, it.call({}, { profileIds: [] }), { id })).toMatchObject({
      failure: { code: 'connect_session.not_found' },
    });
  });

  test('is cancelled once, and an ended session stays unchanged', async () => {
    const it = await createTestEnvironment();
    const started = await start(it);
    if (!started.ok) throw new Error(started.failure.code);
    const { session } = started.value;
    await it.ports.transactions.run((tx) =>
      tx.connectSessions
        .end(session.id, { status: 'failed', error: { code: 'denied', message: 'No.' }, connectionIds: [] })
        .then((value) => ({ ok: true, value })),
    );
    expect(await finishConnect(it.ports, session)).toMatchObject({ status: 'failed' });
  });
});
