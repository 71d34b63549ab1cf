import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CompleteRequest } from '@switchboard/domain/ports';
import { createTestStore } from './testing/create-test-store.js';
import {
  manifest,
  openSandboxFixture,
  profileId,
  redirectUri,
  createRevokeRequest,
  signal,
  connectMethod,
  workspaceId,
} from './testing/open-sandbox-fixture.js';
import { submitConsent } from './testing/submit-consent.js';

let world: Awaited<ReturnType<typeof openSandboxFixture>>;
beforeAll(async () => {
  world = await openSandboxFixture(fetch);
});
afterAll(() => world.close());

async function begin(state = 'st4te') {
  const { authorizers } = world.open(createTestStore());
  const begun = await authorizers.begin({
    workspaceId,
    profileId,
    manifest,
    connectMethod,
    fieldValues: {},
    redirectUri,
    state,
    signal,
  });
  if (!begun.ok) throw new Error(begun.failure.message);
  const complete = (parameters: CompleteRequest['parameters'], more: Partial<CompleteRequest> = {}) =>
    authorizers.complete({
      workspaceId,
      profileId,
      manifest,
      connectMethod,
      redirectUri,
      parameters,
      context: begun.value.context,
      signal,
      ...more,
    });
  return { ...begun.value, complete, authorizers };
}

test('requests consent with PKCE, state, redirect URI and permissions, and seals the verifier', async () => {
  const { url, context } = await begin('a-state');
  const asked = Object.fromEntries(new URL(url).searchParams);
  expect(asked).toMatchObject({
    response_type: 'code',
    client_id: 'switchboard-sandbox',
    redirect_uri: redirectUri,
    state: 'a-state',
    scope: 'profile posts:write posts:read insights:read',
    code_challenge_method: 'S256',
  });
  const { verifier } = JSON.parse(context.reveal()) as { verifier: string };
  expect(verifier).toMatch(/^[\w-]{43}$/);
  expect(url).not.toContain(verifier);
  expect(String(context)).toBe('[secret]');
});

test('exchanges the code once for a grant that works', async () => {
  const { url, complete, authorizers } = await begin();
  const parameters = await submitConsent(fetch, url, 'approve', 'maren-holt');
  const grant = await complete(parameters);
  if (!grant.ok) throw new Error(grant.failure.message);
  expect(grant.value.permissions).toEqual(['profile', 'posts:write', 'posts:read', 'insights:read']);
  expect(grant.value.expiresAt).toBeNull();
  expect((grant.value.accessExpiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3_500_000);

  const session = await authorizers.openSession(manifest, connectMethod, grant.value, signal);
  if (!session.ok) throw new Error(session.failure.message);
  const me = await session.value.request({ method: 'GET', path: '/social/api/me', effect: 'read' });
  expect(me).toMatchObject({ ok: true, value: { status: 200, json: { username: 'maren' } } });
  expect(await complete(parameters)).toMatchObject({
    ok: false,
    failure: { code: 'connect.exchange_failed' },
  });
});

test('a denial is reported as a denial', async () => {
  const { url, complete } = await begin();
  expect(await complete(await submitConsent(fetch, url, 'deny', 'maren-holt'))).toMatchObject({
    failure: { code: 'connect.denied' },
  });
});

test.each([
  ['without an issuer', { iss: undefined }],
  ['with another issuer', { iss: 'https://evil.example' }],
  ['with the issuer spelled otherwise', { iss: 'slash' }],
  ['with another state', { state: 'other' }],
  ['with a wrong code', { code: 'wrong' }],
  ['without a code', { code: undefined }],
])('a callback %s yields no grant, and the code is not spent', async (_what, change) => {
  const { url, complete } = await begin();
  const parameters = await submitConsent(fetch, url, 'approve', 'maren-holt');
  const changed: Record<string, string | undefined> = { ...parameters, ...change };
  if (changed['iss'] === 'slash') changed['iss'] = `${parameters['iss'] ?? ''}/`;
  const clean = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
  const before = world.sandbox.requests().filter(({ path }) => path.startsWith('/social/oauth/token')).length;
  expect(await complete(clean as Record<string, string>)).toMatchObject({
    failure: { code: 'connect.exchange_failed' },
  });
  const asked =
    world.sandbox.requests().filter(({ path }) => path.startsWith('/social/oauth/token')).length - before;
  expect(asked).toBe('code' in change && change.code !== undefined ? 1 : 0);
  expect((await complete(parameters)).ok).toBe(true);
});

test('another issuer cannot report that access was denied', async () => {
  const { complete } = await begin();
  expect(
    await complete({ state: 'st4te', error: 'access_denied', iss: 'https://evil.example' }),
  ).toMatchObject({
    failure: { code: 'connect.exchange_failed' },
  });
});

test('the verifier of another flow does not redeem a code', async () => {
  const [one, other] = [await begin(), await begin()];
  const parameters = await submitConsent(fetch, one.url, 'approve', 'maren-holt');
  expect((await one.complete(parameters, { context: other.context })).ok).toBe(false);
});

test.each([
  '500-before',
  'reset-after-effect',
  '2xx-truncated',
  '2xx-no-id',
  'garbage',
  'huge',
  'redirect',
] as const)(
  'a token endpoint that fails with %s is a failed exchange without a secret in it',
  async (kind) => {
    const { url, complete } = await begin();
    const parameters = await submitConsent(fetch, url, 'approve', 'maren-holt');
    world.sandbox.faults.add({ platform: 'social', match: { path_prefix: '/oauth/token' }, kind });
    const failed = await complete(parameters);
    expect(failed).toMatchObject({ failure: { code: 'connect.exchange_failed' } });
    expect(JSON.stringify(failed)).not.toContain(parameters['code']);
    expect(world.sandbox.requests().filter(({ path }) => path === '/_elsewhere')).toEqual([]);
  },
);

test('revoking ends the grant at the platform, and revoking again succeeds', async () => {
  const grant = await world.connect('tidal-museum');
  const { authorizers } = world.open(createTestStore());
  expect(await authorizers.revoke(createRevokeRequest(grant))).toEqual({
    ok: true,
    value: undefined,
  });
  expect(world.sandbox.ledger.entries({ effect: 'token.revoked', account: 'tidal-museum' })).toHaveLength(1);
  const session = await authorizers.openSession(manifest, connectMethod, grant, signal);
  const me =
    session.ok && (await session.value.request({ method: 'GET', path: '/social/api/me', effect: 'read' }));
  expect(me).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
  expect((await authorizers.revoke(createRevokeRequest(grant))).ok).toBe(true);
});

test('two logins share a grant when they have a token in common, and not otherwise', async () => {
  const [one, other] = [await world.connect('tidal-museum'), await world.connect('tidal-museum')];
  const { authorizers } = world.open(createTestStore());
  expect(authorizers.sharesGrant(connectMethod, one.credential, one.credential)).toBe(true);
  expect(authorizers.sharesGrant(connectMethod, one.credential, other.credential)).toBe(false);
});

test('two logins of one account share a grant where the platform revokes all of them at once', async () => {
  const [one, other] = [await world.connect('tidal-museum'), await world.connect('tidal-museum')];
  const { authorizers } = world.open(createTestStore());
  const shares = (grantedByAccount: boolean, ofOneAccount: boolean) => {
    const oauth2 = connectMethod.oauth2 && { ...connectMethod.oauth2, grantIsPerAccount: grantedByAccount };
    return authorizers.sharesGrant(
      { ...connectMethod, oauth2 },
      one.credential,
      other.credential,
      ofOneAccount,
    );
  };
  expect(shares(true, true)).toBe(true);
  expect([shares(true, false), shares(false, true)]).toEqual([false, false]);
});

test('two logins of an unnamed user may share a grant, whatever accounts they opened', async () => {
  const [one, other] = [await world.connect('tidal-museum'), await world.connect('tidal-museum')];
  const { authorizers } = world.open(createTestStore());
  const oauth2 = connectMethod.oauth2 && { ...connectMethod.oauth2, grantIsPerUser: true };
  const perUser = { ...connectMethod, oauth2 };
  expect(authorizers.sharesGrant(perUser, one.credential, other.credential, false)).toBe(true);
});

test('a platform that is down during a revocation is retried later', async () => {
  const grant = await world.connect('tidal-museum');
  world.sandbox.faults.add({
    platform: 'social',
    match: { path_prefix: '/oauth/revoke' },
    kind: '500-before',
  });
  const { authorizers } = world.open(createTestStore());
  expect(await authorizers.revoke(createRevokeRequest(grant))).toMatchObject({
    failure: { code: 'platform.unavailable' },
  });
});
