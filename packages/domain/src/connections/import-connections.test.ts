import { beforeEach, describe, expect, test } from '@jest/globals';
import { bareManifest } from '../../testing/bare-manifest.js';
import { memorySocial, remoteAccount, type MemorySocial } from '../../testing/environment/memory-social.js';
import {
  createTestEnvironment,
  grantOf,
  type TestEnvironment,
} from '../../testing/environment/test-environment.js';
import { refuse } from '../failure.js';
import type { FoundAccount, Grant } from '../ports/index.js';
import { ok } from '../result.js';
import { Secret } from '../secret.js';
import { credentialBinding } from './credential.js';
import { importConnections, type ImportedConnection } from './import-connections.js';
import type { ConnectionToImport } from './verify-import.js';

let social: MemorySocial;
let it: TestEnvironment;
beforeEach(async () => {
  social = memorySocial();
  it = await createTestEnvironment([social]);
  it.clientIds.set('sandbox_social', 'our app');
});

const row = (over: Partial<ConnectionToImport> & { readonly token?: string } = {}): ConnectionToImport => {
  const { token = 'a token', ...fields } = over;
  return { platform: 'sandbox_social', accessToken: new Secret(token), ...fields };
};
async function run(
  rows: readonly ConnectionToImport[],
  dryRun = false,
): Promise<readonly ImportedConnection[]> {
  const done = await importConnections(it.ports, it.operator(), { connections: rows, dryRun });
  if (!done.ok) throw new Error(done.failure.code);
  return done.value;
}
const shown = (results: readonly ImportedConnection[]) =>
  results.map((result) => (result.status === 'failed' ? result.failure.code : result.status));
const connections = () => it.repositories.connections.listAll(it.workspace.id, { reach: null });
const audited = async () =>
  (await it.repositories.auditTrail.list(it.workspace.id, {}, { limit: 50 })).items.map(
    ({ action, object }) => `${action} ${object ?? ''}`,
  );
const events = () => it.events().map(({ type }) => type);
async function tokenOf(id: string): Promise<string> {
  const [connection] = (await connections()).filter((one) => one.id === id);
  if (!connection) throw new Error('no connection');
  const vault = await it.ports.vault.unlock(it.workspace.id);
  const stored = await it.repositories.credentials.find(it.workspace.id, connection.id);
  if (!vault.ok || !stored) throw new Error('no credential');
  const opened = vault.value.open(credentialBinding(connection.id, stored.generation), stored.sealed);
  return opened.ok ? opened.value.reveal() : opened.failure.code;
}
const idOf = (result: ImportedConnection | undefined) =>
  result && 'connectionId' in result && result.connectionId !== null ? result.connectionId : '';
const endingAt = (expiresAt: Date): Grant => ({ ...grantOf('a token'), expiresAt });

test('an imported account is a connection with the row’s labels, its sealed token, one event and one audit row', async () => {
  const [done] = await run([row({ externalId: 'customer 7', metadata: { tier: 'gold' } })]);
  expect(done).toMatchObject({ status: 'imported' });
  expect(await connections()).toMatchObject([
    { id: idOf(done), externalId: 'customer 7', metadata: { tier: 'gold' }, account: { username: 'ada' } },
  ]);
  expect(await tokenOf(idOf(done))).toBe('a token');
  expect(await audited()).toEqual([`importConnection ${idOf(done)}`]);
  expect(events()).toEqual(['connection.connected']);
});

test('a row again changes nothing: no connection, event, audit row, version or token', async () => {
  const same = row({ externalId: 'customer 7', metadata: { tier: 'gold' } });
  await run([same]);
  const before = [await connections(), await audited(), events()];
  expect(shown(await run([same]))).toEqual(['updated']);
  expect([await connections(), await audited(), events()]).toEqual(before);
});

test('an older token never replaces that of a connection that works, and other labels are set', async () => {
  const [done] = await run([row({ token: 'renewed since the export' })]);
  expect(shown(await run([row({ token: 'the exported one', externalId: 'later' })]))).toEqual(['updated']);
  expect(await tokenOf(idOf(done))).toBe('renewed since the export');
  expect(await connections()).toMatchObject([{ externalId: 'later' }]);
  expect(events()).toHaveLength(1);
  expect(await audited()).toHaveLength(2);
});

test('a connection that needs a new login is restored by one, and by none when the platform rejects it', async () => {
  const [done] = await run([row()]);
  const id = (await connections())[0]?.id;
  if (!id) throw new Error('no connection');
  await it.repositories.connections.update(it.workspace.id, id, { status: 'needs_reauth' });
  social.accounts = refuse('connection.needs_reauth', 'The account must be reconnected.');
  expect(shown(await run([row({ token: 'an ended one' })]))).toEqual(['connection.import_invalid']);
  expect(await connections()).toMatchObject([{ status: 'needs_reauth' }]);
  social.accounts = ok([remoteAccount('ada')]);
  expect(shown(await run([row({ token: 'a working one' })]))).toEqual(['updated']);
  expect(await connections()).toMatchObject([{ id, status: 'active' }]);
  expect(await tokenOf(idOf(done))).toBe('a working one');
  expect(events()).toContain('connection.restored');
});

test('a login that ends at a known time is replaced only by one that ends later', async () => {
  const now = it.clock.now().getTime();
  it.doors.grantResult = ok(endingAt(new Date(now + 1_000)));
  const [done] = await run([row({ token: 'first' })]);
  for (const [token, ends, expected] of [
    ['earlier', 500, 'first'],
    ['the same time', 1_000, 'first'],
    ['later', 2_000, 'later'],
  ] as const) {
    it.doors.grantResult = ok(endingAt(new Date(now + ends)));
    expect(shown(await run([row({ token })]))).toEqual(['updated']);
    expect([token, await tokenOf(idOf(done))]).toEqual([token, expected]);
  }
  it.doors.grantResult = ok(grantOf('unknown end'));
  await run([row({ token: 'of unknown end' })]);
  expect(await tokenOf(idOf(done))).toBe('later');
});

test('rows of one account in one call, and in two concurrent calls, are one connection', async () => {
  const rows = Array.from({ length: 5 }, (_, index) => row({ token: `token ${index}` }));
  expect(shown(await run(rows))).toEqual(['imported', 'updated', 'updated', 'updated', 'updated']);
  expect(await tokenOf(idOf((await run([row()]))[0]))).toBe('token 0');
  social.accounts = ok([remoteAccount('grace')]);
  await Promise.all([run([row()]), run([row()]), run([row()])]);
  expect((await connections()).map(({ account }) => account.username)).toEqual(['ada', 'grace']);
  expect(await audited()).toHaveLength(2);
});

test('a bad row fails alone, with what to do', async () => {
  expect(
    shown(
      await run([
        row({ platform: 'sandbox_socal' }),
        row({ profileId: 'prf_none' }),
        row({ app: { clientId: 'their app' } }),
        row({ accountId: 'someone else' }),
        row({ accountId: remoteAccount('ada').id }),
      ]),
    ),
  ).toEqual([
    'platform.not_found',
    'profile.not_found',
    'platform.not_configured',
    'connect.wrong_account',
    'imported',
  ]);
});

test('a login of several accounts is imported for the account that the row names, with its own token', async () => {
  const pages: readonly FoundAccount[] = ['ada', 'grace'].map((name) => ({
    ...remoteAccount(name),
    credential: new Secret(`token of ${name}`),
  }));
  social.accounts = ok(pages);
  const [several, one] = await run([row(), row({ accountId: remoteAccount('grace').id })]);
  expect(several).toMatchObject({ status: 'failed', failure: { code: 'connection.import_invalid' } });
  expect(await tokenOf(idOf(one))).toBe('token of grace');
});

test('a dry run verifies the same and stores nothing', async () => {
  const rows = [row(), row(), row({ app: { clientId: 'their app' } })];
  expect(shown(await run(rows, true))).toEqual(['imported', 'updated', 'platform.not_configured']);
  expect([await connections(), await audited(), events()]).toEqual([[], [], []]);
  const [done] = await run([row()]);
  expect(await run([row()], true)).toEqual([{ status: 'updated', connectionId: idOf(done) }]);
});

describe('two profiles', () => {
  const second = async () => {
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    return other.id;
  };

  test('without profile_id a row is refused', async () => {
    await second();
    expect(shown(await run([row()]))).toEqual(['connect.profile_required']);
  });

  test('share an account, but not a refresh token, which one of them would end', async () => {
    const other = await second();
    const of = (profileId: string, over: Partial<ConnectionToImport> = {}) => row({ profileId, ...over });
    expect(shown(await run([of(it.profile.id)]))).toEqual(['imported']);
    const refreshToken = new Secret('a refresh token');
    for (const dryRun of [true, false])
      expect(shown(await run([of(other, { refreshToken })], dryRun))).toEqual(['connection.exists']);
    expect(shown(await run([of(other)]))).toEqual(['imported']);
    social.accounts = ok([remoteAccount('grace')]);
    const both = [of(it.profile.id, { refreshToken }), of(other, { refreshToken })];
    for (const dryRun of [true, false])
      expect(shown(await run(both, dryRun))).toEqual(['imported', 'connection.exists']);
  });
});

describe('what the import obtains itself', () => {
  test('is revoked unless it is stored, and the login of another system never is', async () => {
    for (const obtains of [false, true]) {
      it.doors.obtainsImported = obtains;
      await run([row({ token: 'dry' })], true);
      await run([row({ token: 'wrong', accountId: 'someone else' })]);
      await run([row({ token: 'stored' })]);
      await run([row({ token: 'kept out' })]);
      expect(it.revoked).toEqual(obtains ? ['dry', 'wrong', 'stored', 'kept out'] : []);
    }
  });
});

test('tokens of the AT Protocol are bound to their client, and are refused with what to do', async () => {
  const connect = [
    { ...bareManifest.connect[0], id: 'oauth', scheme: 'atproto_oauth', fields: [], needsApp: false },
    {
      ...bareManifest.connect[0],
      id: 'app_password',
      scheme: 'atproto_app_password',
      fields: [],
      needsApp: false,
    },
  ] as never;
  it = await createTestEnvironment([memorySocial({ manifest: { connect } })]);
  const [done] = await run([row({ refreshToken: new Secret('DPoP-bound') })]);
  expect(done).toMatchObject({
    failure: {
      code: 'connection.import_unsupported',
      message: expect.stringContaining('app password') as unknown,
    },
  });
});
