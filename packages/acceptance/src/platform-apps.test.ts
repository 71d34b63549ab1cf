import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ConnectionId, WorkspaceId } from '@switchboard/domain';
import { scopePresets } from '@switchboard/domain/access';
import { openBrowser } from './support/browser.js';
import { findLeakPlaces } from './support/find-leaks.js';
import { connectSandbox } from './support/connect-sandbox.js';
import { dumpDatabase, queryRows } from './support/database.js';
import { expireAccess } from './support/expire-access.js';
import { eventually } from './support/eventually.js';
import { asText, type JsonObject } from './support/json.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const APP = '/platforms/sandbox_social/app';
const OPERATORS = 'switchboard-sandbox';
/** The platform's state for each app. */
const secrets = new Map(
  ['ours', 'ours-profile', 'ours-new', 'theirs'].map((id) => [
    `app-${id}`,
    randomBytes(24).toString('base64url'),
  ]),
);

let switchboard: Switchboard;
let operator: Operator;
let sandbox: ReturnType<typeof sandboxControl>;
let ours: RestClient;
let theirs: RestClient;
let theirWorkspaceId: WorkspaceId;
const heard: string[] = [];
const browserTranscript: string[] = [];
/** Our connections, by the app that they were granted to. */
const createKeyFor = new Map<string, ConnectionId>();

beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'platform_apps' });
  operator = await openOperator(switchboard);
  sandbox = sandboxControl(switchboard.sandboxUrl);
  for (const [id, secret] of secrets) await sandbox.addClient({ id, secret });
  ours = restClient(switchboard.url, switchboard.keys.full, heard);
  theirWorkspaceId = await operator.createWorkspace('theirs');
  const key = await operator.createKey({ workspaceId: theirWorkspaceId, scopes: scopePresets.full });
  theirs = restClient(switchboard.url, key.token, heard);
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

const setApp = (client: RestClient, app: string, profileId?: string) =>
  client.expect(200, 'PUT', APP, {
    body: { client_id: app, client_secret: secrets.get(app), ...(profileId && { profile_id: profileId }) },
  });

async function attempt(client: RestClient, account: string, profileId?: string): Promise<JsonObject> {
  const session = await client.expect(201, 'POST', '/connect/url', {
    body: { platform: 'sandbox_social', ...(profileId && { profile_id: profileId }) },
  });
  await connectSandbox(asText(session['url']), { account }, openBrowser(browserTranscript));
  return client.expect(200, 'GET', `/connect/sessions/${asText(session['id'])}`);
}
async function connect(client: RestClient, account: string, profileId?: string): Promise<ConnectionId> {
  const [id] = (await attempt(client, account, profileId))['connection_ids'] as ConnectionId[];
  if (id === undefined) throw new Error(`${account} was not connected`);
  return id;
}
/** The app that last received tokens for this account from the platform, and the grant type. */
async function lastIssue(account: string): Promise<readonly unknown[]> {
  const last = (await sandbox.ledger('token.issued', account)).at(-1);
  return [last?.['grant'], last?.['client']];
}
const readStatus = async (id: ConnectionId, refresh = true) => {
  const { status, status_reason } = await ours.expect(200, 'GET', `/connections/${id}`, {
    query: { refresh },
  });
  return { status: asText(status), reason: status_reason };
};
const findEvents = (type: string) =>
  queryRows<{ reason: string; id: string }>(
    switchboard.databaseUrl,
    `SELECT data->>'reason' AS reason, data->>'connection_id' AS id FROM events WHERE type = '${type}'`,
  );

test('accounts are connected with the app of their profile, their workspace or the operator', async () => {
  expect(await ours.expect(200, 'GET', APP)).toEqual({
    client_id: OPERATORS,
    secret_set: true,
    source: 'environment',
  });
  createKeyFor.set(OPERATORS, await connect(ours, 'maren-holt'));
  expect(await lastIssue('maren-holt')).toEqual(['authorization_code', OPERATORS]);

  expect(await setApp(ours, 'app-ours')).toEqual({
    client_id: 'app-ours',
    secret_set: true,
    source: 'workspace',
  });
  createKeyFor.set('app-ours', await connect(ours, 'lumen-coffee'));
  expect(await lastIssue('lumen-coffee')).toEqual(['authorization_code', 'app-ours']);

  const profile = await ours.expect(201, 'POST', '/profiles', { body: { name: 'with its own' } });
  const profileId = asText(profile['id']);
  await setApp(ours, 'app-ours-profile', profileId);
  createKeyFor.set('app-ours-profile', await connect(ours, 'tidal-museum', profileId));
  expect(await lastIssue('tidal-museum')).toEqual(['authorization_code', 'app-ours-profile']);
});

test('another workspace connects with its own app, and neither sees nor uses ours', async () => {
  expect(await theirs.expect(200, 'GET', APP)).toMatchObject({ client_id: OPERATORS, source: 'environment' });
  // The client ID of our app alone is not sufficient.
  await theirs.expect(200, 'PUT', APP, { body: { client_id: 'app-ours', client_secret: 'guessed' } });
  expect(await attempt(theirs, 'tidal-museum')).toMatchObject({ connection_ids: [] });
  expect(await lastIssue('tidal-museum')).toEqual(['authorization_code', 'app-ours-profile']);

  await setApp(theirs, 'app-theirs');
  await connect(theirs, 'tidal-museum');
  expect(await lastIssue('tidal-museum')).toEqual(['authorization_code', 'app-theirs']);

  const { data } = await ours.expect(200, 'GET', '/profiles');
  const profileIds = (data as readonly JsonObject[]).map(({ id }) => asText(id));
  for (const profile_id of profileIds) {
    for (const method of ['GET', 'DELETE'] as const) {
      const answer = await theirs.sendRequest(method, APP, { query: { profile_id } });
      expect([answer.status, answer.json['code']]).toEqual([404, 'profile.not_found']);
    }
  }
  await theirs.expect(204, 'DELETE', APP);
  expect(await ours.expect(200, 'GET', APP)).toMatchObject({ client_id: 'app-ours' });
});

test('a refresh uses the app of the grant; without that app the connection reports it once, until it is configured again', async () => {
  const [ofOperator, ofOurs] = [OPERATORS, 'app-ours'].map((app) => createKeyFor.get(app) as ConnectionId);
  if (!ofOperator || !ofOurs) throw new Error('connected above');
  await setApp(ours, 'app-ours-new');

  await expireAccess(operator, ofOperator);
  expect(await readStatus(ofOperator)).toEqual({ status: 'active', reason: null });
  expect(await lastIssue('maren-holt')).toEqual(['refresh_token', OPERATORS]);

  await expireAccess(operator, ofOurs);
  const lost = await eventually('the event is emitted', async () => {
    const now = await readStatus(ofOurs);
    return now.status === 'degraded' ? now : null;
  });
  expect(lost.reason).toContain('is missing or no longer accepted');
  expect(await lastIssue('lumen-coffee')).toEqual(['authorization_code', 'app-ours']);
  expect(await findEvents('connection.needs_reauth')).toEqual([]);

  // Stored on another profile, it is used for existing grants only, not for new ones.
  const profile = await ours.expect(201, 'POST', '/profiles', { body: { name: 'of before' } });
  await setApp(ours, 'app-ours', asText(profile['id']));
  await eventually('it is usable again', async () =>
    (await readStatus(ofOurs)).status === 'active' ? true : null,
  );
  expect(await lastIssue('lumen-coffee')).toEqual(['refresh_token', 'app-ours']);
  expect(await findEvents('connection.degraded')).toEqual([{ id: ofOurs, reason: 'app_missing' }]);
  expect((await findEvents('connection.restored')).map(({ id }) => id)).toEqual([ofOurs]);
});

test('a disconnected account is revoked with the app of the grant, whichever app is configured now', async () => {
  await ours.expect(204, 'DELETE', `/connections/${createKeyFor.get('app-ours') ?? ''}`);
  const entry = await eventually(
    'the grant is revoked',
    async () => (await sandbox.ledger('token.revoked', 'lumen-coffee'))[0] ?? null,
  );
  expect(entry).toMatchObject({ client: 'app-ours', reason: 'revoked' });
});

test('an app secret appears in no response, page, log or table', async () => {
  const places = new Map([
    ...(await dumpDatabase(switchboard.databaseUrl)),
    ['answers', heard.join('\n')],
    ['pages', browserTranscript.join('\n')],
    ['log', switchboard.logs()],
  ]);
  expect(findLeakPlaces(places, ['app-ours-new'])).toEqual(
    expect.arrayContaining(['answers', 'public.platform_apps', 'public.audit_rows']),
  );
  expect(findLeakPlaces(places, [...secrets.values()])).toEqual([]);
});
