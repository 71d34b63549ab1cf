import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testDatabase } from '@switchboard/persistence/testing';
import { blueskyServer, type BlueskyServer } from '../support/bluesky-pds.js';
import { connectByAppPassword } from '../support/connect-bluesky.js';
import { queryRows } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { Switchboard } from '../support/installation.js';
import { asObject, asObjects, asText } from '../support/json.js';
import { startRealProcess, type RealProcess } from '../support/real-process.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { serveSwitchboard } from '../support/serve-switchboard.js';

const INSTALL_AND_BOOT_MS = 10 * 60_000;
const PASSWORD = 'through-the-looking-glass';

let network: RealProcess<Pick<BlueskyServer, 'url' | 'plcUrl'>>;
let pds: BlueskyServer;
let switchboard: Switchboard;
let client: RestClient;
beforeAll(async () => {
  network = await startRealProcess('bluesky-network', {
    bootDeadlineMs: INSTALL_AND_BOOT_MS,
    env: { DATABASE_URL: await testDatabase('bluesky_network') },
  });
  pds = blueskyServer(network.ready);
  switchboard = await serveSwitchboard({
    name: 'real_bluesky',
    env: {
      SWITCHBOARD_BLUESKY_PLC_URL: pds.plcUrl,
      SWITCHBOARD_BLUESKY_HANDLE_RESOLVER_URL: pds.url,
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: [pds.url, pds.plcUrl].map((url) => new URL(url).host).join(','),
    },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
}, INSTALL_AND_BOOT_MS);
afterAll(async () => {
  await switchboard?.stop();
  await network?.stop();
});

/** Writes and deletes records as another account. */
async function openBob() {
  const { did } = await pds.createAccount('bob.test', PASSWORD);
  const session = await pds.xrpc('POST', 'com.atproto.server.createSession', {
    body: { identifier: 'bob.test', password: PASSWORD },
  });
  const token = asText(asObject(session.body)['accessJwt']);
  const write = async (method: string, body: object) => {
    const response = await pds.xrpc('POST', `com.atproto.repo.${method}`, {
      body: { repo: did, ...body },
      token,
    });
    expect(response.status).toBe(200);
    return asObject(response.body);
  };
  return {
    create: (collection: string, record: object) =>
      write('createRecord', {
        collection,
        record: { $type: collection, createdAt: new Date().toISOString(), ...record },
      }),
    remove: (uri: string) => {
      const [collection, rkey] = uri.split('/').slice(-2);
      return write('deleteRecord', { collection, rkey });
    },
  };
}

test('a like, a repost, a reply, and a like that is taken back are reported as the network counts them', async () => {
  await pds.createAccount('alice.test', PASSWORD);
  const bob = await openBob();
  const appPassword = await pds.createAppPassword('alice.test', PASSWORD);
  const connectionId = await connectByAppPassword(client, pds, 'alice.test', appPassword);
  const post = await client.expect(201, 'POST', '/social/posts', {
    body: { text: 'How it is received', targets: [{ connection_id: connectionId }] },
    headers: { Prefer: 'wait=30' },
  });
  expect(post['status']).toBe('published');
  const [delivery] = asObjects(post['deliveries']);
  const uri = asText(delivery?.['external_id']);
  const [did, rkey] = [uri.split('/')[2] ?? '', uri.split('/').at(-1) ?? ''];
  const subject = { uri, cid: (await pds.getRecord(did, rkey))?.cid };

  const reports = async (likes: number, shares: number, comments: number) => {
    await eventually(`${likes} likes, ${shares} reposts and ${comments} replies`, async () => {
      // A report reads metrics again after an hour.
      await queryRows(
        switchboard.databaseUrl,
        "UPDATE latest_metrics SET taken_at = now() - interval '2 hours' WHERE taken_at IS NOT NULL",
      );
      const report = await client.expect(200, 'GET', '/social/analytics', {
        query: { connection_id: connectionId, metrics: 'likes,shares,comments' },
      });
      const totals = asObject(report['totals']);
      const isReported = totals['likes'] === likes && totals['shares'] === shares;
      return isReported && totals['comments'] === comments ? true : null;
    });
  };
  await reports(0, 0, 0);
  const like = await bob.create('app.bsky.feed.like', { subject });
  await reports(1, 0, 0);
  await bob.create('app.bsky.feed.repost', { subject });
  await bob.create('app.bsky.feed.post', { text: 'I like it', reply: { root: subject, parent: subject } });
  await reports(1, 1, 1);
  await bob.remove(asText(like['uri']));
  await reports(0, 1, 1);
}, 300_000);
