import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Switchboard } from '../support/installation.js';
import { asObject, asObjects, asText, type JsonObject } from '../support/json.js';
import { noisyPng } from '../support/sample-media.js';
import { startRealProcess, type RealProcess } from '../support/real-process.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { connectByKey } from '../support/store-orders-client.js';

interface Account {
  readonly id: string;
  readonly name: string;
  readonly password: string;
}
interface WordPressReady {
  readonly url: string;
  readonly editor: Account;
  readonly author: Account;
}

const BOOT_MS = 2 * 60_000;
const REPOSITORY = path.resolve(import.meta.dirname, '../../../..');
const POSTS = '/wp-json/wp/v2/posts';
const COMMENTS = '/wp-json/wp/v2/comments';

let wordpress: RealProcess<WordPressReady>;
let switchboard: Switchboard;
let client: RestClient;
let adapter: string;
beforeAll(async () => {
  adapter = compileAdapter();
  wordpress = await startRealProcess<WordPressReady>('wordpress', { bootDeadlineMs: BOOT_MS });
  switchboard = await startSwitchboard({
    name: 'real_wordpress',
    env: {
      SWITCHBOARD_PLATFORMS: path.join(adapter, 'index.js'),
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(wordpress.ready.url).host,
      LOG_LEVEL: 'trace',
    },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
}, BOOT_MS);
afterAll(async () => {
  await switchboard?.stop();
  await wordpress?.stop();
  rmSync(adapter, { recursive: true, force: true });
});

/** The example, compiled into a folder outside of the repository, beside what it imports. */
function compileAdapter(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-wordpress-adapter-'));
  const source = path.join(REPOSITORY, 'examples/wordpress/src');
  const files = readdirSync(source).filter((file) => !/^(simulator|contract\.test)\./.test(file));
  const esbuild = path.join(REPOSITORY, 'node_modules/.bin/esbuild');
  execFileSync(esbuild, [...files, '--format=esm', `--outdir=${folder}`, '--log-level=error'], {
    cwd: source,
  });
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  const kit = path.join(REPOSITORY, 'packages/platform-kit');
  mkdirSync(path.join(folder, 'node_modules/@switchboard'), { recursive: true });
  symlinkSync(kit, path.join(folder, 'node_modules/@switchboard/platform-kit'));
  symlinkSync(path.join(kit, 'node_modules/zod'), path.join(folder, 'node_modules/zod'));
  return folder;
}

/** The site's own API, called without Switchboard: as the editor, or as any reader. */
async function requestSite(
  target: string,
  as: 'editor' | 'reader' = 'editor',
  json?: object,
): Promise<unknown> {
  const { name, password } = wordpress.ready.editor;
  const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  const response = await fetch(wordpress.ready.url + target, {
    ...(json && { method: 'POST', body: JSON.stringify(json) }),
    headers: {
      ...(as === 'editor' && { authorization }),
      ...(json && { 'content-type': 'application/json' }),
    },
  });
  if (!response.ok) throw new Error(`${target} is ${response.status}: ${await response.text()}`);
  return response.json();
}
const listPosts = async () =>
  asObjects(await requestSite(`${POSTS}?context=edit&status=any&per_page=100`)).map((post) => ({
    id: String(post['id']),
    title: asText(asObject(post['title'])['raw']),
    content: asText(asObject(post['content'])['raw']),
    post,
  }));
const postsTitled = async (title: string) => (await listPosts()).filter((one) => one.title === title);
const commentsBelow = async (id: string) =>
  asObjects(await requestSite(`${COMMENTS}?context=edit&post=${id}`)).map((comment) =>
    asText(asObject(comment['content'])['raw']),
  );

const connect = async (account: Account, password = account.password) =>
  connectByKey(client, 'wordpress', 'application_password', {
    site: wordpress.ready.url,
    username: account.name,
    // As WordPress displays it.
    password: password.match(/.{1,4}/g)?.join(' ') ?? '',
  });

test('the form reports a wrong password, and nothing is connected', async () => {
  const { page, session } = await connect(wordpress.ready.editor, 'abcdefghijklmnopqrstuvwx');
  expect(page.status).toBe(422);
  expect(session).toMatchObject({ status: 'pending', connection_ids: [] });
});

// An author may publish, but is no moderator: the site shows such an account less.
describe.each(['editor', 'author'] as const)('with the role %s', (role) => {
  const connections: Partial<Record<typeof role, string>> = {};
  const title = (name: string) => `${name}, ${role}`;

  async function publish(target: JsonObject, more: JsonObject = {}) {
    const targets = [{ connection_id: connections[role] ?? '', ...target }];
    const body = { text: `About ${asText(target['title'])}`, targets, ...more };
    const created = await client.expect(201, 'POST', '/social/posts', { body });
    return settled(asText(created['id']));
  }
  /** The post when its delivery is published and no edit of it is under way. */
  const settled = (id: string) =>
    eventually('the post is published', async () => {
      const post = await client.expect(200, 'GET', `/social/posts/${id}`);
      const [delivery = {}] = asObjects(post['deliveries']);
      if (['failed', 'needs_review'].includes(asText(delivery['status'])))
        throw new Error(JSON.stringify(delivery));
      const isSettled = delivery['status'] === 'published' && delivery['editing'] !== true;
      return isSettled ? { id, delivery, externalId: asText(delivery['external_id']) } : null;
    });
  const edit = async (id: string, body: JsonObject) => {
    await client.expect(200, 'PATCH', `/social/posts/${id}`, { body: { ...body, edit_published: true } });
    return settled(id);
  };
  const titled = (name: string): JsonObject => ({
    targets: [{ connection_id: connections[role] ?? '', title: title(name) }],
  });

  test('an application password connects the account', async () => {
    const { session } = await connect(wordpress.ready[role]);
    expect(session).toMatchObject({ status: 'connected' });
    [connections[role] = ''] = session['connection_ids'] as string[];
    const connection = await client.expect(200, 'GET', `/connections/${connections[role] ?? ''}`);
    const { id, name } = wordpress.ready[role];
    expect(connection).toMatchObject({
      status: 'active',
      account: { id: expect.stringContaining(id), username: name },
    });
  });

  test('a post has its title, its text as it was written, its link, category and summary', async () => {
    const { categories } = await siteCategories();
    const options = { category: categories['Pottery'] ?? '', excerpt: 'A summary' };
    const text = `Quotes "a" & 'b' <b>no HTML</b> -- (tm) 3 x 4…\nA new line 🏺\n\nA paragraph [gallery] \\o/`;
    const link = 'https://kiln.example/pots?a=1&b=2';
    const { externalId, delivery } = await publish({ title: title('A pot'), options }, { text, link });
    const { post } = (await postsTitled(title('A pot')))[0] ?? {};
    expect(post).toMatchObject({
      id: Number(externalId),
      status: 'publish',
      link: delivery['url'],
      categories: [Number(options.category)],
      excerpt: { raw: 'A summary' },
    });
    const shown = asObject(await requestSite(`${POSTS}/${externalId}`, 'reader'));
    const html = asText(asObject(shown['content'])['rendered']);
    expect(html).toContain('&lt;b&gt;no HTML&lt;/b&gt;');
    expect(html).toContain('<a href="https://kiln.example/pots?a=1&amp;b=2">');
    // A shortcode would be executed.
    expect(html).toContain('&#091;gallery]');
  });

  test('an image is shown with its alternative text, byte for byte', async () => {
    const png = noisyPng(64, 48);
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'pot.png');
    form.set('alt_text', 'A "teal" pot');
    const uploaded = (await (
      await fetch(`${switchboard.url}/v1/social/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${switchboard.keys.full}` },
        body: form,
      })
    ).json()) as JsonObject;
    const media = [{ media_id: asText(uploaded['id']) }];
    const { id, externalId } = await publish({ title: title('An image') }, { media });
    const imageOf = async () => {
      const [stored] = await postsTitled(title('An image'));
      const [, url = ''] =
        /<img src="([^"]+)" alt="A &quot;teal&quot; pot"/.exec(stored?.content ?? '') ?? [];
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      return createHash('sha256').update(bytes).digest('hex');
    };
    const sha256 = createHash('sha256').update(png).digest('hex');
    expect(await imageOf()).toBe(sha256);
    const edited = await edit(id, { text: 'Around the image' });
    expect(edited.externalId).toBe(externalId);
    expect(await imageOf()).toBe(sha256);
    expect((await postsTitled(title('An image')))[0]?.content).toContain('<p>Around the image</p>');
  });

  test('a post whose response is lost is found by reading it back, and exists once', async () => {
    await wordpress.send({ lose: 'response', path: POSTS });
    const text = `It's "lost" & found -- 3 x 4\n\n<i>twice</i>? \\n`;
    const { externalId } = await publish({ title: title('Lost') }, { text });
    expect((await postsTitled(title('Lost'))).map(({ id }) => id)).toEqual([externalId]);
  });

  test('a first comment is published once, also when its response is lost', async () => {
    const text = `First -- it's "mine" 3 x 4 :)`;
    const plain = await publish({ title: title('Commented') }, { first_comment: { text } });
    await wordpress.send({ lose: 'response', path: COMMENTS });
    const lost = await publish({ title: title('Comment lost') }, { first_comment: { text } });
    for (const { externalId } of [plain, lost])
      expect(await commentsBelow(externalId)).toEqual([`First -- it's &quot;mine&quot; 3 x 4 :)`]);
  });

  test('title and text of a published post are edited, and its comment on its own', async () => {
    const first = await publish({ title: title('With a tpyo') }, { first_comment: { text: 'Frist' } });
    await edit(first.id, { ...titled('Without a typo'), text: 'Corrected' });
    await edit(first.id, { first_comment: { text: 'First' } });
    const [stored] = await postsTitled(title('Without a typo'));
    expect(stored).toMatchObject({
      id: first.externalId,
      content: expect.stringContaining('<p>Corrected</p>'),
    });
    expect(await postsTitled(title('With a tpyo'))).toEqual([]);
    expect(await commentsBelow(first.externalId)).toEqual(['First']);
  });

  test.each(['response', 'request'] as const)('an edit whose %s is lost is confirmed', async (lose) => {
    const name = `Edit without ${lose}`;
    const { id, externalId } = await publish({ title: title(name) });
    await wordpress.send({ lose, path: `${POSTS}/${externalId}` });
    const { delivery } = await edit(id, { text: `The ${lose} "edited" -- 3 x 4 <b>` });
    expect(delivery).toMatchObject({ error: null });
    const found = await postsTitled(title(name));
    expect(found).toMatchObject([
      {
        id: externalId,
        content: expect.stringContaining(`The ${lose} &quot;edited&quot; -- 3 x 4 &lt;b&gt;`),
      },
    ]);
  });

  test('an edited comment whose response is lost is confirmed', async () => {
    const comment = { first_comment: { text: 'It was so' } };
    const { id, externalId } = await publish({ title: title('Comment edited') }, comment);
    await wordpress.send({ lose: 'response', path: COMMENTS });
    const { delivery } = await edit(id, { first_comment: { text: `It's so -- "really"` } });
    expect(delivery).toMatchObject({ error: null });
    expect(await commentsBelow(externalId)).toEqual([`It's so -- &quot;really&quot;`]);
  });

  test('the comments of a post are counted', async () => {
    const { id, externalId } = await publish({ title: title('Counted') });
    for (const content of ['One', 'Two']) {
      const comment = {
        post: Number(externalId),
        content,
        author_name: 'Bob',
        author_email: 'bob@example.test',
      };
      await requestSite(COMMENTS, 'editor', comment);
    }
    const query = { connection_id: connections[role] ?? '', group_by: 'post' };
    const report = await client.expect(200, 'GET', '/social/analytics', { query });
    const own = asObjects(report['groups'] ?? report['data']).find((one) => JSON.stringify(one).includes(id));
    expect(JSON.stringify(own)).toContain('"comments":2');
  });

  test('a post in the trash is not found and not edited, and an unpublished post is in the trash', async () => {
    const first = await publish({ title: title('Gone') }, { first_comment: { text: 'Below' } });
    const refresh = () =>
      client.expect(200, 'GET', `/social/posts/${first.id}`, { query: { refresh: 'true' } });
    expect(asObjects((await refresh())['deliveries'])[0]).toMatchObject({
      at_platform: { status: 'exists', error: null },
    });
    await requestSite(`${POSTS}/${first.externalId}?_method=DELETE`, 'editor', {});
    const { deliveries } = await client.expect(200, 'PATCH', `/social/posts/${first.id}`, {
      body: { text: 'Too late', edit_published: true },
      headers: { prefer: 'wait=30' },
    });
    expect(asObjects(deliveries)[0]).toMatchObject({ error: { code: 'platform.refused' } });
    // For five minutes a platform that does not find a post proves nothing.
    expect(asObjects((await refresh())['deliveries'])[0]).toMatchObject({
      at_platform: { status: 'unknown', error: { code: 'platform.outcome_unknown' } },
    });

    const other = await publish({ title: title('Unpublished') });
    await client.expect(200, 'POST', `/social/posts/${other.id}/unpublish`, {
      headers: { prefer: 'wait=30' },
    });
    await eventually('it is in the trash', async () => {
      const stored = asObject(await requestSite(`${POSTS}/${other.externalId}?context=edit`));
      return stored['status'] === 'trash' ? true : null;
    });
  });

  test('no password is in a log', () => {
    const { password } = wordpress.ready[role];
    for (const secret of [
      password,
      password.match(/.{1,4}/g)?.join(' ') ?? '',
      btoa(`${wordpress.ready[role].name}:${password}`),
    ])
      expect(switchboard.logs()).not.toContain(secret);
  });
});

async function siteCategories() {
  const listed = asObjects(await requestSite('/wp-json/wp/v2/categories'));
  return { categories: Object.fromEntries(listed.map(({ id, name }) => [asText(name), String(id)])) };
}
