import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBrowser } from '../support/browser.js';
import { submitConnectForm } from '../support/connect-sandbox.js';
import { eventually } from '../support/eventually.js';
import { asObjects, asText, type JsonObject } from '../support/json.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { startSwitchboard, type SwitchboardProcesses } from '../support/start-switchboard.js';

/** The simulator of an adapter, as the contract of the kit knows it. */
interface World {
  readonly baseUrl: string;
  readonly account: { readonly id: string };
  readonly token: string;
  readonly logins?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly keyLocations: Readonly<Record<string, object>>;
  requireKeyAt(place: object | undefined): void;
  break(how: 'reset-after-effect' | 'reset-before-effect', skipRequests?: number): void;
  readonly requestsBefore: { readonly edit: number };
  edits(): number;
  textOf(externalId: string): string;
  effects(): number;
  close(): Promise<void>;
}

interface Journey {
  readonly folder: string;
  readonly platform: string;
  readonly connectMethod: string;
  /** What the account owner enters on the hosted page. */
  readonly entered: (world: World) => Readonly<Record<string, string>>;
  readonly target: JsonObject;
  readonly metrics: JsonObject;
}

/** The folder with the adapters, built from tarballs. */
const examples = process.env['SWITCHBOARD_EXAMPLES'] ?? '';
const journeys: readonly Journey[] = [
  {
    folder: 'lemmy',
    platform: 'lemmy',
    connectMethod: 'password',
    entered: ({ baseUrl, logins }) => ({ server: baseUrl, ...logins?.['password'] }),
    target: { title: 'A pot of mine', options: { community: '1' } },
    metrics: { likes: 15, comments: 0, views: null },
  },
  {
    folder: 'dev-community',
    platform: 'dev_community',
    connectMethod: 'api_key',
    entered: ({ token }) => ({ api_key: token }),
    target: {
      title: 'A pot of mine',
      options: { tags: ['pottery'], canonical_url: 'https://blog.example/pot' },
    },
    metrics: { likes: 45, comments: 10, views: 600 },
  },
  {
    folder: 'wordpress',
    platform: 'wordpress',
    connectMethod: 'application_password',
    entered: ({ baseUrl, token }) => ({
      site: baseUrl,
      username: 'name-of-the-key',
      // As WordPress displays it.
      password: token.match(/.{1,4}/g)?.join(' ') ?? '',
    }),
    target: { title: 'A pot of mine', options: { category: '4' } },
    metrics: { likes: null, comments: 0, views: null },
  },
];

describe.each(journeys)('$platform', ({ folder, platform, connectMethod, entered, target, metrics }) => {
  let world: World;
  let switchboard: SwitchboardProcesses;
  let client: RestClient;
  let connectionId: string;
  beforeAll(async () => {
    const simulator = pathToFileURL(path.join(examples, folder, 'dist/simulator.js')).href;
    world = await ((await import(simulator)) as { startWorld(): Promise<World> }).startWorld();
    world.requireKeyAt(world.keyLocations[connectMethod]);
    switchboard = await startSwitchboard({
      name: `external_${folder.replaceAll('-', '_')}`,
      env: {
        SWITCHBOARD_PLATFORMS: path.join(examples, folder),
        SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(world.baseUrl).host,
        [`SWITCHBOARD_${platform.toUpperCase()}_BASE_URL`]: world.baseUrl,
      },
    });
    client = restClient(switchboard.url, switchboard.keys.full);
  });
  afterAll(async () => {
    await switchboard?.stop();
    await world?.close();
  });

  async function publish(text: string) {
    const body = { text, targets: [{ connection_id: connectionId, ...target }] };
    const created = await client.expect(201, 'POST', '/social/posts', { body });
    return settled(asText(created['id']));
  }
  /** The post when its delivery is published and no edit of it is under way. */
  const settled = (id: string) =>
    eventually('the post is published', async () => {
      const post = await client.expect(200, 'GET', `/social/posts/${id}`);
      const [delivery] = asObjects(post['deliveries']);
      if (delivery?.['status'] === 'failed') throw new Error(JSON.stringify(delivery));
      const isSettled = delivery?.['status'] === 'published' && delivery['editing'] !== true;
      return isSettled ? { id, delivery } : null;
    });
  const textOf = ({ delivery }: { readonly delivery: JsonObject }) =>
    world.textOf(asText(asObjects(delivery['parts'])[0]?.['external_id']));

  test('an account is connected through the hosted page', async () => {
    const started = await client.expect(201, 'POST', '/connect/url', { body: { platform } });
    const values = entered(world);
    const page = await submitConnectForm(openBrowser(), asText(started['url']), connectMethod, values);
    expect(page.status).toBeLessThan(400);
    const session = await client.expect(200, 'GET', `/connect/sessions/${asText(started['id'])}`);
    expect(session).toMatchObject({ status: 'connected' });
    [connectionId = ''] = session['connection_ids'] as string[];
    const connection = await client.expect(200, 'GET', `/connections/${connectionId}`);
    expect(connection).toMatchObject({ platform, status: 'active', account: { id: world.account.id } });
  });

  test('a post is published', async () => {
    expect(textOf(await publish('From the kiln'))).toBe('From the kiln');
    expect(world.effects()).toBe(1);
  });

  test('a post whose response is lost is found by reading it back, and exists once', async () => {
    world.break('reset-after-effect');
    expect(textOf(await publish('Lost and found'))).toBe('Lost and found');
    expect(world.effects()).toBe(2);
  });

  test('a published post is edited', async () => {
    const { id } = await publish('With a tpyo');
    const edited = { text: 'Without a typo', edit_published: true };
    await client.expect(200, 'PATCH', `/social/posts/${id}`, { body: edited });
    expect(textOf(await settled(id))).toBe('Without a typo');
    expect([world.effects(), world.edits()]).toEqual([3, 1]);
  });

  test.each(['reset-after-effect', 'reset-before-effect'] as const)(
    'an edit that meets a %s is confirmed, is made once, and no other post exists',
    async (how) => {
      const { id } = await publish(`Before ${how}`);
      const [effects, edits] = [world.effects(), world.edits()];
      world.break(how, world.requestsBefore.edit);
      const body = { text: `After ${how}`, edit_published: true };
      await client.expect(200, 'PATCH', `/social/posts/${id}`, { body });
      const post = await settled(id);
      expect(post.delivery).toMatchObject({ error: null });
      expect(textOf(post)).toBe(`After ${how}`);
      expect([world.effects(), world.edits()]).toEqual([effects, edits + 1]);
    },
  );

  test('the figures are exactly those of the platform', async () => {
    const query = { connection_id: connectionId, group_by: 'post' };
    const report = await client.expect(200, 'GET', '/social/analytics', { query });
    expect(report['totals']).toMatchObject(metrics);
  });

  test('no password, key or token is in a log', () => {
    const { password } = world.logins?.[connectMethod] ?? {};
    for (const secret of [world.token, password]) {
      if (secret !== undefined) expect(switchboard.logs()).not.toContain(secret);
    }
  });
});
