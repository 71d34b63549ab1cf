import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { failures, reasonCodes } from '@switchboard/domain';
import { testDatabase } from '@switchboard/persistence/testing';
import { Browser } from '../testing/browser.js';
import { startRest, type RunningRest } from '../testing/running-rest.js';

let rest: RunningRest;
beforeAll(async () => {
  rest = await startRest(await testDatabase('docs'));
}, 60_000);
afterAll(() => rest.close());

const get = (path: string) => new Browser().get(`${rest.url}${path}`);

test('describes the API with this installation as its server', async () => {
  const { status, headers, text } = await get('/openapi.json');
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^application\/json/);
  const { openapi, servers } = JSON.parse(text) as { openapi: string; servers: { url: string }[] };
  expect([openapi, servers[0]?.url]).toEqual(['3.1.0', rest.service.config.publicUrl]);
});

test('has the version that /v1/me reports', async () => {
  const { info } = JSON.parse((await get('/openapi.json')).text) as { info: { version: string } };
  const me = await fetch(`${rest.url}/v1/me`, { headers: { Authorization: `Bearer ${rest.key}` } });
  expect(await me.json()).toMatchObject({ version: info.version });
});

test('shows a page that needs no external host and allows none', async () => {
  const page = await get('/docs');
  expect(page.status).toBe(200);
  const policy = page.headers['content-security-policy'] ?? '';
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).not.toMatch(/unsafe|https?:/);
  const loaded = [...page.text.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]*)"/g)].map(
    ([, url]) => url ?? '',
  );
  expect(loaded).toHaveLength(3);
  for (const url of loaded) {
    expect(url).toMatch(/^\/[^/]/);
    const file = await get(url);
    expect(file.status).toBe(200);
    expect(file.text.length).toBeGreaterThan(200);
  }
});

test('serves only the files that the page needs', async () => {
  for (const path of ['/docs/package.json', '/docs/..%2fpackage.json', '/docs/index.html']) {
    expect((await get(path)).status).toBe(404);
  }
});

test('shows every operation with its fields, each code of failures, and every schema, without a script', async () => {
  const { text } = await get('/docs');
  const { paths, components } = JSON.parse((await get('/openapi.json')).text) as {
    paths: Record<string, Record<string, { operationId: string }>>;
    components: { schemas: object };
  };
  const ids = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  for (const id of [...ids, ...Object.keys(components.schemas).map((name) => `schema-${name}`)])
    expect(text).toContain(` id="${id}"`);
  const [, createPost = ''] = text.split('id="createPost"');
  const [operation = ''] = createPost.split('</article>');
  for (const part of [
    'Create or schedule a social post',
    '/v1/social/posts',
    '#schema-PostDraft',
    '#schema-Post',
  ])
    expect(operation).toContain(part);
  expect(operation).toContain('/docs/errors#profile.not_found');
  const anchors = [...text.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor);
  expect(anchors.filter((anchor) => !text.includes(` id="${anchor}"`))).toEqual([]);
  // 304 is documented in the API document, but is no error.
  expect(text).not.toContain('error-304');
  const [, messages = ''] = text.split('id="messages"');
  for (const [type, schema] of [
    ['post.published', 'PostEvent'],
    ['webhook.challenge', 'WebhookChallenge'],
  ])
    expect(messages).toMatch(new RegExp(`<code>${type}</code>[^]*?#schema-${schema}`));
  for (const [status, code] of [
    [404, 'profile.not_found'],
    [502, 'platform.outcome_unknown'],
  ] as const) {
    const [, article = ''] = text.split(`id="error-${status}"`);
    const [listed = ''] = article.split('</article>');
    expect(listed).toContain(
      `<a href="/docs/errors#${code}"><code>${code}</code></a> ${failures[code].title}.`,
    );
  }
});

test('leads from the root to the documentation, for browsers and for programs', async () => {
  const root = (accept: string) => fetch(`${rest.url}/`, { headers: { accept }, redirect: 'manual' });
  const page = await root('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
  expect([page.status, page.headers.get('location')]).toEqual([302, '/docs']);
  for (const accept of ['*/*', 'application/json']) {
    const response = await root(accept);
    expect([response.status, response.headers.get('vary')]).toEqual([200, expect.stringContaining('Accept')]);
    const { docs_url, openapi_url, ...service } = (await response.json()) as Record<string, string>;
    expect(service).toEqual({ name: 'Switchboard', version: rest.service.config.version });
    expect([docs_url, openapi_url].map((url) => new URL(url ?? '').pathname)).toEqual([
      '/docs',
      '/openapi.json',
    ]);
  }
});

test('lists every public code with an anchor', async () => {
  const { status, text } = await get('/docs/errors');
  expect(status).toBe(200);
  for (const code of Object.keys(failures)) expect(text).toContain(`id="${code}"`);
  for (const { place, code, remedy } of reasonCodes) {
    expect(text).toContain(`id="${place}-${code}"`);
    expect(remedy).toMatch(/^[A-Z].*\.$/);
  }
  const [, contents = ''] = text.split('<nav aria-label="Contents">');
  const [links = ''] = contents.split('</nav>');
  const anchors = [...links.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor);
  const headings = [...text.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id);
  expect(anchors).toEqual(headings);
});

test('serves no client document for AT Protocol servers while it is only reachable from this machine', async () => {
  for (const path of ['/oauth/atproto/client-metadata.json', '/oauth/atproto/jwks.json']) {
    const { status, headers } = await get(path);
    expect([status, headers['content-type']]).toEqual([
      404,
      expect.stringMatching(/^application\/problem\+json/),
    ]);
  }
});
