import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Secret } from '@switchboard/domain';
import { credentialBinding, type Connection } from '@switchboard/domain/connections';
import { createTestStore, unencryptedVault, type TestStore } from './testing/create-test-store.js';
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
  for (const id of ['first', 'second']) world.sandbox.control.addClient({ id, secret: `secret of ${id}` });
});
afterAll(() => world.close());

let store: TestStore;
let since: number;
beforeEach(() => {
  store = createTestStore();
  since = issued().length;
});

const app = (clientId: string, secret = `secret of ${clientId}`) => ({
  clientId,
  clientSecret: new Secret(secret),
});
/** Replaces the configured apps; the first one is the default. */
const setApps = (...apps: readonly ReturnType<typeof app>[]) =>
  void world.apps.splice(0, world.apps.length, ...apps);
const issued = () => world.sandbox.ledger.entries({ effect: 'token.issued' });
/** The clients that tokens were issued to since the test began, with the grant type. */
const listIssuedTokens = () =>
  issued()
    .slice(since)
    .map((entry) => [entry['grant'], entry['client']]);
const asked = () => world.sandbox.requests().filter(({ path }) => path.startsWith('/social/oauth/')).length;
const renew = (connection: Connection, generation = 1) =>
  world.open(store).sessions.renew(connection, generation);
const find = ({ id }: Connection) => store.connections.find(workspaceId, id);

async function credentialOf(connection: Connection): Promise<Readonly<Record<string, unknown>>> {
  const row = await store.findCredential(connection);
  const vault = await unencryptedVault.unlock(workspaceId);
  if (!row || !vault.ok) throw new Error('there is no credential');
  const opened = vault.value.open(credentialBinding(connection.id, row.generation), row.sealed);
  if (!opened.ok) throw new Error(opened.failure.message);
  return JSON.parse(opened.value.reveal()) as Readonly<Record<string, unknown>>;
}

test('a login is renewed with the app that it was granted to, even when another app is the default', async () => {
  setApps(app('first'));
  const connection = await world.connection('maren-holt', store);
  setApps(app('second'), app('first'));
  expect(await renew(connection)).toEqual({ ok: true, value: undefined });
  expect(listIssuedTokens()).toEqual([
    ['authorization_code', 'first'],
    ['refresh_token', 'first'],
  ]);
  expect(await credentialOf(connection)).toMatchObject({ kind: 'oauth2', clientId: 'first' });
});

test('a code is exchanged with the app whose consent page was opened, even when another app is the default', async () => {
  setApps(app('first'));
  const { authorizers } = world.open(store);
  const to = { workspaceId, profileId, manifest, connectMethod, redirectUri, signal };
  const begun = await authorizers.begin({ ...to, fieldValues: {}, state: 'st4te' });
  if (!begun.ok) throw new Error(begun.failure.message);
  expect(new URL(begun.value.url).searchParams.get('client_id')).toBe('first');
  setApps(app('second'), app('first'));
  const parameters = await submitConsent(fetch, begun.value.url, 'approve', 'maren-holt');
  const grant = await authorizers.complete({ ...to, parameters, context: begun.value.context });
  expect(grant.ok).toBe(true);
  expect(listIssuedTokens()).toEqual([['authorization_code', 'first']]);
});

test('a login without a recorded app is renewed with the default app, and records it', async () => {
  setApps(app('first'));
  const connection = await world.connection('maren-holt', store);
  const { clientId: _, ...old } = await credentialOf(connection);
  await store.storeConnection(connection, new Secret(JSON.stringify(old)), null);
  expect((await renew(connection, 2)).ok).toBe(true);
  expect(listIssuedTokens().at(-1)).toEqual(['refresh_token', 'first']);
  expect(await credentialOf(connection)).toMatchObject({ clientId: 'first' });
});

test.each([
  ['is no longer configured', () => setApps(app('second'))],
  ['has a rejected secret', () => setApps(app('first', 'an old secret'), app('second'))],
])('a login whose app %s is not ended: it is degraded, and works again with the app', async (_, lose) => {
  setApps(app('first'));
  const connection = await world.connection('maren-holt', store);
  lose();
  for (let at = 0; at < 3; at++) {
    expect(await renew(connection)).toMatchObject({
      ok: false,
      failure: { code: 'platform.not_configured' },
    });
    store.clock.advance(2_000);
  }
  expect(await find(connection)).toMatchObject({ status: 'degraded', appMissing: true });
  expect(store.events.map(({ type, data }) => [type, data['reason']])).toEqual([
    ['connection.degraded', 'app_missing'],
  ]);
  expect(listIssuedTokens()).toEqual([['authorization_code', 'first']]);
  setApps(app('second'), app('first'));
  expect((await renew(connection)).ok).toBe(true);
  expect(await find(connection)).toMatchObject({ status: 'active', statusReason: null });
});

test('the secret of the app that a login was granted to is found, also a new one, and none when that app is gone', async () => {
  setApps(app('first'));
  const connection = await world.connection('maren-holt', store);
  const findSecret = async () => {
    const found = await world.open(store).sessions.findAppSecret(connection);
    return found.ok ? found.value.reveal() : found.failure.code;
  };
  setApps(app('second'), app('first'));
  expect(await findSecret()).toBe('secret of first');
  setApps(app('first', 'a new secret'));
  expect(await findSecret()).toBe('a new secret');
  setApps(app('second'));
  expect(await findSecret()).toBe('platform.not_configured');
});

test('a grant is revoked with the app that it was granted to, and not at all when that app is gone', async () => {
  setApps(app('first'));
  const [kept, lost] = [await world.connect('maren-holt'), await world.connect('maren-holt')];
  setApps(app('second'), app('first'));
  const { authorizers } = world.open(store);
  expect((await authorizers.revoke(createRevokeRequest(kept))).ok).toBe(true);
  const [last] = world.sandbox.ledger.entries({ effect: 'token.revoked' }).slice(-1);
  expect(last).toMatchObject({ client: 'first', reason: 'revoked' });
  setApps(app('second'));
  const before = asked();
  expect((await authorizers.revoke(createRevokeRequest(lost))).ok).toBe(true);
  expect(asked()).toBe(before);
});

test('an imported login is renewed by the app that it names, and not without that app', async () => {
  setApps(app('first'));
  const grant = await world.connect('maren-holt', store);
  const exported = JSON.parse(grant.credential.reveal()) as Readonly<Record<string, string>>;
  setApps(app('second'), app('first'));
  const { authorizers } = world.open(store);
  const expiresAt = new Date(store.clock.now().getTime() + 3_600_000);
  const request = {
    workspaceId,
    profileId,
    manifest,
    connectMethod,
    clientId: 'first',
    accessToken: new Secret(exported['accessToken'] ?? ''),
    refreshToken: new Secret(exported['refreshToken'] ?? ''),
    expiresAt,
    permissions: ['posts:write'],
    signal,
  };
  const imported = await authorizers.importGrant(request);
  if (!imported.ok) throw new Error(imported.failure.message);
  expect(imported.value).toMatchObject({
    isObtained: false,
    grant: { accessExpiresAt: expiresAt, expiresAt: null, permissions: ['posts:write'], server: null },
  });
  const connection = await world.connection('maren-holt', store);
  await store.storeConnection(connection, imported.value.grant.credential, expiresAt);
  expect(await renew(connection, 2)).toEqual({ ok: true, value: undefined });
  expect(listIssuedTokens().at(-1)).toEqual(['refresh_token', 'first']);

  for (const [over, code] of [
    [{ clientId: 'of another system' }, 'platform.not_configured'],
    [{ server: 'https://elsewhere.example' }, 'connection.import_invalid'],
    [{ accessToken: new Secret('two\nlines') }, 'connection.import_invalid'],
    [{ refreshToken: new Secret('of spaces only ') }, 'connection.import_invalid'],
  ] as const) {
    const refused = await authorizers.importGrant({ ...request, ...over });
    expect(refused).toMatchObject({ ok: false, failure: { code } });
    expect(JSON.stringify(refused)).not.toMatch(/two|of spaces/);
  }
});

test('an imported login that cannot be renewed ends with its token', async () => {
  setApps(app('first'));
  const expiresAt = new Date(store.clock.now().getTime() + 3_600_000);
  const accessToken = new Secret('any');
  const request = { workspaceId, profileId, manifest, connectMethod, clientId: 'first', signal };
  const ticking = { ...store.clock, now: () => (store.clock.advance(1), store.clock.now()) };
  const { authorizers } = world.open({ ...store, clock: ticking });
  const imported = await authorizers.importGrant({ ...request, accessToken, expiresAt });
  expect(imported).toMatchObject({
    value: {
      grant: { accessExpiresAt: expiresAt, expiresAt, permissions: connectMethod.oauth2?.permissions },
    },
  });
});
