import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ConnectionId } from '@switchboard/domain';
import { approveBlueskyConsent } from './support/bluesky-consent.js';
import {
  startBlueskyPds,
  type BlueskyAccount,
  type BlueskyPds,
  type BlueskyRecord,
} from './support/bluesky-pds.js';
import { openBrowser, type PageVisit } from './support/browser.js';
import { findLeakPlaces, readCredentialSecrets } from './support/find-leaks.js';
import { submitConnectForm, getLocation } from './support/connect-sandbox.js';
import { dumpDatabase, queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpStreams } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const INSTALL_AND_BOOT_MS = 6 * 60_000;
const PUT_RECORD = 'com.atproto.repo.putRecord';
const ALICE_PASSWORD = 'alice-and-the-looking-glass';
const BOB_PASSWORD = 'bob-the-builder-of-bridges';

let pds: BlueskyPds;
let alice: BlueskyAccount;
let bob: BlueskyAccount;
let bobsAppPassword: string;
let switchboard: Switchboard;
let operator: Operator;
let client: RestClient;
/** Every byte of every response to callers and browsers. */
const heard: string[] = [];
const connections: Record<'alice' | 'bob', ConnectionId> = {
  alice: 'con_' as ConnectionId,
  bob: 'con_' as ConnectionId,
};

beforeAll(async () => {
  pds = await startBlueskyPds();
  alice = await pds.createAccount('alice.test', ALICE_PASSWORD);
  bob = await pds.createAccount('bob.test', BOB_PASSWORD);
  bobsAppPassword = await pds.createAppPassword('bob.test', BOB_PASSWORD);
  switchboard = await serveSwitchboard({
    name: 'bluesky_journey',
    env: {
      SWITCHBOARD_BLUESKY_PLC_URL: pds.plcUrl,
      SWITCHBOARD_BLUESKY_HANDLE_RESOLVER_URL: pds.url,
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: [pds.url, pds.plcUrl].map((url) => new URL(url).host).join(','),
      LOG_LEVEL: 'trace',
    },
  });
  operator = await openOperator(switchboard);
  client = restClient(switchboard.url, switchboard.keys.full, heard);
}, INSTALL_AND_BOOT_MS);
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
  await pds?.stop();
});

/** Goes through the hosted flow with `walk`; returns the resulting connection. */
async function connect(walk: (hostedUrl: string) => Promise<PageVisit>): Promise<JsonObject> {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform: 'bluesky' } });
  const page = await walk(asText(session['url']));
  expect(page.status).toBe(200);
  const ended = await client.expect(200, 'GET', `/connect/sessions/${asText(session['id'])}`);
  expect(ended).toMatchObject({ status: 'connected', error: null });
  const [id] = ended['connection_ids'] as string[];
  return client.expect(200, 'GET', `/connections/${id}`, { query: { refresh: true } });
}

describe('connecting through the hosted flow', () => {
  test('by OAuth: handle, the server’s own consent page, callback', async () => {
    const connection = await connect(async (url) => {
      const browser = openBrowser(heard);
      const leaving = await submitConnectForm(browser, url, 'oauth', { handle: '@alice.test' });
      const callback = await approveBlueskyConsent(getLocation(leaving), {
        handle: 'alice.test',
        password: ALICE_PASSWORD,
      });
      return browser.get(callback);
    });
    expect(connection).toMatchObject({
      platform: 'bluesky',
      status: 'active',
      account: { id: alice.did, username: 'alice.test' },
      capabilities: ['publishing', 'analytics'],
    });
    connections.alice = connection['id'] as ConnectionId;
  });

  test('by an app password, and never by the account password', async () => {
    const connection = await connect(async (url) => {
      const browser = openBrowser(heard);
      const typed = { handle: 'bob.test', server: pds.url };
      const refused = await submitConnectForm(browser, url, 'app_password', {
        ...typed,
        password: BOB_PASSWORD,
      });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain('This is the account password');
      return submitConnectForm(browser, url, 'app_password', { ...typed, password: bobsAppPassword });
    });
    expect(connection).toMatchObject({
      platform: 'bluesky',
      status: 'active',
      account: { id: bob.did, username: 'bob.test' },
    });
    connections.bob = connection['id'] as ConnectionId;
  });

  test('an imported app password is a login of its own, which ends when it is not stored', async () => {
    const importRow = async (more: JsonObject) => {
      const body = { connections: [{ platform: 'bluesky', server: pds.url, ...more }] };
      const imported = await client.expect(200, 'POST', '/connections/import', { body });
      return (imported['results'] as JsonObject[])[0];
    };
    const row = { account_id: bob.did, access_token: bobsAppPassword };
    expect(await importRow(row)).toEqual({ index: 0, status: 'updated', connection_id: connections.bob });
    for (const [wrong, code] of [
      [{ account_id: alice.did }, 'connection.import_invalid'],
      [{ access_token: BOB_PASSWORD }, 'connection.import_unsupported'],
      [{ access_token: 'a.dpop.token', refresh_token: 'ref-1' }, 'connection.import_unsupported'],
    ] as const)
      expect(await importRow({ ...row, ...wrong })).toMatchObject({ status: 'failed', error: { code } });
  });
});

const LINK = 'https://example.com/a?b=1&c=%C3%A9';
const WORDS = `👩‍👩‍👧 Grüße @bob.test, siehe ${LINK} 🎉`;

/** The byte offsets of a substring, computed independently of the product. */
function computeByteRange(whole: string, part: string): { byteStart: number; byteEnd: number } {
  const byteStart = Buffer.byteLength(whole.slice(0, whole.indexOf(part)));
  return { byteStart, byteEnd: byteStart + Buffer.byteLength(part) };
}

const facetsOf = (words: string) => [
  {
    index: computeByteRange(words, '@bob.test'),
    features: [{ $type: 'app.bsky.richtext.facet#mention', did: bob.did }],
  },
  {
    index: computeByteRange(words, LINK),
    features: [{ $type: 'app.bsky.richtext.facet#link', uri: LINK }],
  },
];

const post = (who: keyof typeof connections, words: string, more: object = {}, waitSeconds = 20) =>
  client.expect(201, 'POST', '/social/posts', {
    body: { text: words, targets: [{ connection_id: connections[who] }], ...more },
    headers: { Prefer: `wait=${waitSeconds}` },
  });

async function published(id: unknown, meanwhile = async () => {}): Promise<JsonObject> {
  for (let look = 0; look < 60; look += 1) {
    const found = await client.expect(200, 'GET', `/social/posts/${asText(id)}`, {
      headers: { Prefer: 'wait=1' },
    });
    if (found['status'] === 'published') return found;
    await meanwhile();
  }
  throw new Error(`the post ${asText(id)} was not published`);
}

/**
 * A server that did not respond may still be processing, so Switchboard waits before it retries. Skips this
 * wait.
 */
const waitForServer = async () =>
  void (await queryRows(
    switchboard.databaseUrl,
    `UPDATE deliveries SET next_attempt_at = now() - interval '1 second' WHERE status IN ('unknown', 'retrying')`,
  ));

const getDelivery = (found: JsonObject) => asObjects(found['deliveries'])[0] as JsonObject;

/** The record that the PDS itself holds for a published post. */
async function getRecord(found: JsonObject): Promise<BlueskyRecord> {
  const [, , did = '', , rkey = ''] = asText(getDelivery(found)['external_id']).split('/');
  const record = await pds.getRecord(did, rkey);
  if (!record) throw new Error('the PDS has no such record');
  return record;
}

const findByText = async (account: BlueskyAccount, words: string) =>
  (await pds.listRecords(account.did)).filter(({ value }) => value['text'] === words);

describe.each(['alice', 'bob'] as const)('posting as %s', (who) => {
  const account = () => ({ alice, bob })[who];

  test('publishes link, mention and emoji with facets in byte offsets', async () => {
    const created = await post(who, WORDS);
    expect(created).toMatchObject({ status: 'published', deliveries: [{ attempts: 1, error: null }] });
    const record = await getRecord(created);
    expect(record.uri).toBe(getDelivery(created)['external_id']);
    expect(record.value).toMatchObject({ text: WORDS, facets: facetsOf(WORDS) });
    expect(await findByText(account(), WORDS)).toHaveLength(1);
  });

  test('publishes a scheduled post at its time and not earlier', async () => {
    const words = `${WORDS} Später.`;
    const scheduledAt = Date.now() + 3000;
    const created = await post(who, words, { scheduled_at: new Date(scheduledAt).toISOString() });
    expect(created['status']).toBe('scheduled');
    expect(await findByText(account(), words)).toEqual([]);
    const found = await published(created['id']);
    expect(Date.parse(asText(getDelivery(found)['published_at']))).toBeGreaterThanOrEqual(scheduledAt);
    expect((await getRecord(found)).value).toMatchObject({ text: words, facets: facetsOf(words) });
    expect(await findByText(account(), words)).toHaveLength(1);
  });

  test('finds a post whose response was lost by its record key, and does not resend it', async () => {
    const words = `Was it heard? ${who}`;
    await pds.dropNext('response', PUT_RECORD);
    const created = await post(who, words);
    const found = await published(created['id']);
    const [record, ...others] = await findByText(account(), words);
    expect(others).toEqual([]);
    expect(getDelivery(found)).toMatchObject({ status: 'published', external_id: record?.uri, attempts: 1 });
    const history = await queryRows<{ kind: string; outcome: string }>(
      switchboard.databaseUrl,
      `SELECT kind, outcome FROM delivery_attempts WHERE delivery_id = '${asText(getDelivery(found)['id'])}' ORDER BY at, id`,
    );
    expect(history).toEqual([
      { kind: 'attempt', outcome: 'begun' },
      { kind: 'attempt', outcome: 'unknown' },
      { kind: 'read_back', outcome: 'published' },
    ]);
  });

  test('resends a request that the server never received, once this is certain', async () => {
    const words = `Was it sent? ${who}`;
    await pds.dropNext('request', PUT_RECORD);
    const created = await post(who, words, {}, 1);
    await eventually('it is missed', async () => {
      const now = await client.expect(200, 'GET', `/social/posts/${asText(created['id'])}`);
      return getDelivery(now)['status'] === 'unknown' ? now : null;
    });
    await published(created['id'], waitForServer);
    expect(await findByText(account(), words)).toHaveLength(1);
  });
});

test('an invalid post is rejected before anything is sent', async () => {
  const before = await pds.listRecords(alice.did);
  const answer = await client.sendRequest('POST', '/social/posts', {
    body: { text: '🎉'.repeat(301), targets: [{ connection_id: connections.alice }] },
  });
  expect(answer).toMatchObject({
    status: 422,
    json: { code: 'post.invalid', errors: [{ code: 'text.too_long' }] },
  });
  expect(await pds.listRecords(alice.did)).toEqual(before);
});

test('no token and no password appears in a log, a response or a column', async () => {
  const agent = await connectMcpStreams(switchboard, switchboard.keys.full);
  for (const tool of ['list_connections', 'list_posts', 'list_profiles']) {
    const { json, text: words } = await agent.call(tool);
    heard.push(JSON.stringify(json), words);
  }
  await agent.close();
  await client.get('/connections');
  for (const path of ['/metrics', '/openapi.json', '/healthz', '/readyz']) {
    heard.push(await (await fetch(`${switchboard.url}${path}`)).text());
  }
  const secrets = [
    ...(await readCredentialSecrets(operator, connections.alice)),
    ...(await readCredentialSecrets(operator, connections.bob)),
    bobsAppPassword,
    ALICE_PASSWORD,
    BOB_PASSWORD,
  ];
  // An access and a refresh token per account, alice's DPoP key and bob's app password: all of them are in
  // the vault.
  expect(new Set(secrets).size).toBeGreaterThanOrEqual(8);
  const places = new Map([
    ...(await dumpDatabase(switchboard.databaseUrl)),
    ['logs', switchboard.logs()],
    ['answers', heard.join('\n')],
  ]);
  // Positive control: the search finds a value that is present in a column and in a response, and the log is
  // not empty.
  expect(findLeakPlaces(places, [alice.did])).toEqual(
    expect.arrayContaining(['public.connections', 'answers']),
  );
  expect(places.get('logs')).toContain('createPost');
  expect(findLeakPlaces(places, secrets)).toEqual([]);
});
