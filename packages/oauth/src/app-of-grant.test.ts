import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { credentialBinding, Secret, type Connection } from '@switchboard/domain';
import { memory, openVault, type Memory } from './testing/memory.js';
import {
  manifest,
  openOnSandbox,
  profileId,
  redirectUri,
  revocation,
  signal,
  way,
  workspaceId,
} from './testing/open-on-sandbox.js';
import { answerConsent } from './testing/sandbox-person.js';

let world: Awaited<ReturnType<typeof openOnSandbox>>;
beforeAll(async () => {
  world = await openOnSandbox(fetch);
  for (const id of ['first', 'second']) world.sandbox.control.addClient({ id, secret: `secret of ${id}` });
});
afterAll(() => world.close());

let store: Memory;
let since: number;
beforeEach(() => {
  store = memory();
  since = issued().length;
});

const app = (clientId: string, secret = `secret of ${clientId}`) => ({
  clientId,
  clientSecret: new Secret(secret),
});
/** What is set up from now on; the first serves. */
const setUp = (...apps: readonly ReturnType<typeof app>[]) =>
  void world.apps.splice(0, world.apps.length, ...apps);
const issued = () => world.sandbox.ledger.entries({ effect: 'token.issued' });
/** To whom tokens were given since the test began, and what for. */
const gave = () =>
  issued()
    .slice(since)
    .map((entry) => [entry['grant'], entry['client']]);
const asked = () => world.sandbox.requests().filter(({ path }) => path.startsWith('/social/oauth/')).length;
const renew = (connection: Connection, generation = 1) =>
  world.open(store).sessions.renew(connection, generation);
const find = ({ id }: Connection) => store.connections.find(workspaceId, id);

async function credentialOf(connection: Connection): Promise<Readonly<Record<string, unknown>>> {
  const row = await store.row(connection);
  const vault = await openVault.unlock(workspaceId);
  if (!row || !vault.ok) throw new Error('there is no credential');
  const opened = vault.value.open(credentialBinding(connection.id, row.generation), row.sealed);
  if (!opened.ok) throw new Error(opened.failure.message);
  return JSON.parse(opened.value.reveal()) as Readonly<Record<string, unknown>>;
}

test('a login is renewed as the app that it was granted to, whatever app serves by now', async () => {
  setUp(app('first'));
  const connection = await world.connection('maren-holt', store);
  setUp(app('second'), app('first'));
  expect(await renew(connection)).toEqual({ ok: true, value: undefined });
  expect(gave()).toEqual([
    ['authorization_code', 'first'],
    ['refresh_token', 'first'],
  ]);
  expect(await credentialOf(connection)).toMatchObject({ kind: 'oauth2', clientId: 'first' });
});

test('a code is exchanged as the app whose consent page was opened, whatever app serves by then', async () => {
  setUp(app('first'));
  const { authorizers } = world.open(store);
  const to = { workspaceId, profileId, manifest, way, redirectUri, signal };
  const begun = await authorizers.begin({ ...to, answers: {}, state: 'st4te' });
  if (!begun.ok) throw new Error(begun.failure.message);
  expect(new URL(begun.value.url).searchParams.get('client_id')).toBe('first');
  setUp(app('second'), app('first'));
  const parameters = await answerConsent(fetch, begun.value.url, 'approve', 'maren-holt');
  const grant = await authorizers.complete({ ...to, parameters, context: begun.value.context });
  expect(grant.ok).toBe(true);
  expect(gave()).toEqual([['authorization_code', 'first']]);
});

test('a login from before apps were remembered is renewed as the app that serves, and remembers it', async () => {
  setUp(app('first'));
  const connection = await world.connection('maren-holt', store);
  const { clientId: _, ...old } = await credentialOf(connection);
  await store.keep(connection, new Secret(JSON.stringify(old)), null);
  expect((await renew(connection, 2)).ok).toBe(true);
  expect(gave().at(-1)).toEqual(['refresh_token', 'first']);
  expect(await credentialOf(connection)).toMatchObject({ clientId: 'first' });
});

test.each([
  ['is set up nowhere any more', () => setUp(app('second'))],
  ['has a secret that is refused', () => setUp(app('first', 'an old secret'), app('second'))],
])('a login whose app %s is not over: it waits, degraded, and works again with the app', async (_, lose) => {
  setUp(app('first'));
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
  expect(gave()).toEqual([['authorization_code', 'first']]);
  setUp(app('second'), app('first'));
  expect((await renew(connection)).ok).toBe(true);
  expect(await find(connection)).toMatchObject({ status: 'active', statusReason: null });
});

test('a login is given back as the app that it was granted to, and by nobody where that is gone', async () => {
  setUp(app('first'));
  const [kept, lost] = [await world.connect('maren-holt'), await world.connect('maren-holt')];
  setUp(app('second'), app('first'));
  const { authorizers } = world.open(store);
  expect((await authorizers.revoke(revocation(kept))).ok).toBe(true);
  const [last] = world.sandbox.ledger.entries({ effect: 'token.revoked' }).slice(-1);
  expect(last).toMatchObject({ client: 'first', reason: 'revoked' });
  setUp(app('second'));
  const before = asked();
  expect((await authorizers.revoke(revocation(lost))).ok).toBe(true);
  expect(asked()).toBe(before);
});
