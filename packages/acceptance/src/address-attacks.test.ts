import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ok, type WorkspaceId } from '@switchboard/domain';
import { undiciDownloads } from '@switchboard/egress';
import { hostileResolver, privateHosts, privateUrls } from '@switchboard/egress/testing';
import { linkPreviews, mediaTools } from '@switchboard/media';
import { findForm, openBrowser } from './support/browser.js';
import { connectAccount } from './support/sandbox-store.js';
import { eventually } from './support/eventually.js';
import { asText, type JsonObject } from './support/json.js';
import { startCanaryServer, type CanaryServer } from './support/canary-server.js';
import { openOperator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

let canary: CanaryServer;
/** A server on the operator's allow-list that redirects to the URL in the request. */
let redirectServer: Server;
let frontUrl: string;
let switchboard: Switchboard;
let client: RestClient;
let connection: string;
beforeAll(async () => {
  canary = await startCanaryServer();
  redirectServer = createServer((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? '/', 'http://front');
    const to = searchParams.get('to') ?? '';
    const hops = Number(pathname.slice(1));
    const location = hops > 1 ? `/${hops - 1}?${searchParams.toString()}` : encodeURI(to);
    response.writeHead(302, { location }).end();
  });
  await new Promise<void>((listening) => redirectServer.listen(0, '127.0.0.1', listening));
  frontUrl = `http://127.0.0.1:${(redirectServer.address() as AddressInfo).port}`;
  switchboard = await serveSwitchboard({
    name: 'address_attacks',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(frontUrl).host, SWITCHBOARD_RATE_LIMIT: '100000' },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
  connection = await connectAccount(client, 'sandbox_social', 'maren-holt');
});
afterAll(async () => {
  await switchboard?.stop();
  redirectServer?.closeAllConnections();
  await new Promise((closed) => redirectServer?.close(closed));
  await canary?.close();
});

let before = 0;
beforeEach(() => void (before = canary.connections()));
const expectUntouched = () => expect(canary.connections()).toBe(before);

const urls = () => privateUrls(canary.port, canary.addresses);
const hosts = () => privateHosts(canary.addresses).map((host) => `${host}:${canary.port}`);
/**
 * Excludes names that resolve only through a hostile name server: a name that does not resolve is retried for
 * an hour.
 */
const known = () => urls().filter((url) => !/\.example\.com:|localdomain|\.invalid/.test(url));

/**
 * The guard is the same everywhere, and a test of packages/egress gives it every spelling. Here each place that takes
 * an address gets every fourth one, another fourth than the others; `ADDRESS_SPELLINGS=all` gives it all of them.
 */
const PARTS = process.env['ADDRESS_SPELLINGS'] === 'all' ? 1 : 4;
const part = (all: readonly string[], nth: number) =>
  all.filter((_one, index) => index % PARTS === nth % PARTS);

const AT_ONCE = 8;

/** Runs an async function for each item with limited concurrency. */
async function each<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
  const rest = [...items];
  const work = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

test('there are 300 spellings, and the canary server records the connections that reach it', async () => {
  expect(urls().length).toBeGreaterThan(300);
  for (const address of canary.addresses) {
    const host = address.includes(':') ? `[${address}]` : address;
    await fetch(`http://${host}:${canary.port}/`);
  }
  expect(canary.connections()).toBe(before + canary.addresses.length);
});

describe('a media item', () => {
  /** Returns the final state of a media item, once no process fetches it anymore. */
  const outcomeOf = (id: string) =>
    eventually(`${id} is ready or has failed`, async () => {
      const media = await client.expect(200, 'GET', `/social/media/${id}`);
      return media['status'] === 'processing' ? null : media;
    });

  /** Resends the request while the workspace has reached its limit of pending URL fetches. */
  async function postInTurn(path: string, body: JsonObject) {
    for (;;) {
      const answer = await client.post(path, body);
      if (answer.status !== 429) return answer;
      await sleep(Number(answer.headers.get('retry-after')) * 1000);
    }
  }

  async function fetchAll(all: readonly string[]): Promise<void> {
    const acceptsUrl: string[] = [];
    await each(all, async (url) => {
      const answer = await postInTurn('/social/media', { url });
      if (answer.status === 201) return void acceptsUrl.push(asText(answer.json['id']));
      expect([url, [400, 422].includes(answer.status)]).toEqual([url, true]);
    });
    await each(acceptsUrl, async (id) => {
      const { status, error } = await outcomeOf(id);
      expect([id, status, error]).toMatchObject([id, 'failed', { code: expect.any(String) }]);
    });
    expectUntouched();
  }

  test('is not fetched from a forbidden address', () => fetchAll(part(known(), 0)), 240_000);

  test('is not fetched from a forbidden address after one redirect or three', async () => {
    const led = known()
      .filter((_url, index) => index % 3 === 0)
      .map((to, index) => `${frontUrl}/${index % 2 === 0 ? 1 : 3}?${new URLSearchParams({ to }).toString()}`);
    await fetchAll(led);
  });

  test('of a post is not fetched from a forbidden address, and the post is refused', async () => {
    const some = known().filter((url, index) => index % 5 === 0 && url.startsWith('https://'));
    expect(some.length).toBeGreaterThan(10);
    await each(some, async (url) => {
      const body = { text: 'a', media: [{ url }], scheduled_at: '2027-05-04T09:00:00Z' };
      const post = { ...body, targets: [{ connection_id: connection }], allow_duplicate: true };
      const validated = await postInTurn('/social/posts/validate', post);
      const created = await postInTurn('/social/posts', post);
      expect([url, validated.json['valid'] ?? false, [400, 422].includes(created.status)]).toEqual([
        url,
        false,
        true,
      ]);
    });
    expectUntouched();
  });
});

describe('a server that a visitor enters on the hosted page', () => {
  /** Submits the form of one connect method repeatedly; no submission leads to a redirect. */
  async function submitAll(
    platform: string,
    connectMethod: string,
    all: readonly string[],
    typed: (server: string) => Readonly<Record<string, string>>,
  ): Promise<void> {
    const { url, id } = await client.expect(201, 'POST', '/connect/url', { body: { platform } });
    const browser = openBrowser();
    const page = await browser.get(asText(url));
    const form = findForm(
      page,
      ({ fields }) => fields['connect_method'] === connectMethod && fields['csrf'] !== undefined,
    );
    await each(all, async (server) => {
      const answer = await browser.post(form.action, { ...form.fields, ...typed(server) });
      expect([server, answer.status, answer.headers.get('location')]).toEqual([
        server,
        expect.any(Number),
        null,
      ]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    });
    expect(await client.expect(200, 'GET', `/connect/sessions/${asText(id)}`)).toMatchObject({
      status: 'pending',
    });
    expectUntouched();
  }

  test(
    'receives no request as a Mastodon instance',
    () => submitAll('mastodon', 'oauth', part([...urls(), ...hosts()], 1), (instance) => ({ instance })),
    240_000,
  );

  test(
    'receives no request as the domain of a Mastodon handle',
    () => submitAll('mastodon', 'oauth', hosts(), (host) => ({ instance: `@alice@${host}` })),
    120_000,
  );

  test(
    'receives no request as a Bluesky server',
    () =>
      submitAll(
        'bluesky',
        'oauth',
        part([...urls(), ...hosts()], 2).filter((server) => server !== ''),
        (handle) => ({ handle }),
      ),
    240_000,
  );

  test('receives no request as a web-hosted Bluesky identity', async () => {
    const dids = privateHosts(canary.addresses).map((host) => `did:web:${host}%3A${canary.port}`);
    await submitAll('bluesky', 'oauth', dids, (handle) => ({ handle }));
    await submitAll('bluesky', 'app_password', dids, (handle) => ({
      handle,
      password: 'abcd-efgh-ijkl-mnop',
    }));
  });

  test(
    'does not receive the app password entered with it',
    () =>
      submitAll(
        'bluesky',
        'app_password',
        part([...urls(), ...hosts()], 3).filter((server) => server !== ''),
        (server) => ({ handle: 'alice.example', password: 'abcd-efgh-ijkl-mnop', server }),
      ),
    240_000,
  );
});

describe('a page linked in a post', () => {
  const previewsOf = () => {
    const downloads = undiciDownloads({
      allowPrivateHosts: [new URL(frontUrl).host],
      userAgent: 'test',
      resolve: hostileResolver,
    });
    return { downloads, previews: linkPreviews({ downloads, mediaTools: mediaTools(), timeoutSeconds: 2 }) };
  };

  test('is not requested at a forbidden address, directly or through a redirect', async () => {
    const { downloads, previews } = previewsOf();
    const turn = { workspaceId: 'wsp_a' as WorkspaceId, signal: new AbortController().signal };
    await each(urls(), async (url) => {
      expect([url, await previews.find(url, turn)]).toEqual([url, null]);
      const led = `${frontUrl}/3?${new URLSearchParams({ to: url }).toString()}`;
      expect([led, await previews.find(led, turn)]).toEqual([led, null]);
    });
    await downloads.close();
    expectUntouched();
  });
});

describe('a URL that is only displayed', () => {
  test('is never fetched: logo, privacy page, return URL', async () => {
    const operator = await openOperator(switchboard);
    const mine = `http://127.0.0.1:${canary.port}/x`;
    await operator.service.ports.transactions.run(async (tx) => {
      await tx.workspaces.update(operator.workspaceId, { logoUrl: mine, privacyUrl: mine });
      return ok();
    });
    await operator.close();
    const { url } = await client.expect(201, 'POST', '/connect/url', {
      body: { platform: 'sandbox_social', return_url: mine },
    });
    expect((await openBrowser().get(asText(url))).status).toBe(200);
    expectUntouched();
  });
});
