import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { failures } from '@switchboard/domain';
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

test('shows a page that needs no external host and allows none', async () => {
  const page = await get('/docs');
  expect(page.status).toBe(200);
  const policy = page.headers['content-security-policy'] ?? '';
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).not.toMatch(/unsafe|https?:/);
  const loaded = [...page.text.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, url]) => url ?? '');
  expect(loaded.length).toBeGreaterThan(3);
  for (const url of loaded) {
    expect(url).toMatch(/^\/[^/]/);
    const file = await get(url);
    expect(file.status).toBe(200);
    expect(file.text.length).toBeGreaterThan(200);
  }
});

test('serves only the files that the page needs', async () => {
  for (const path of [
    '/docs/package.json',
    '/docs/swagger-ui.css.map',
    '/docs/..%2fpackage.json',
    '/docs/index.html',
  ]) {
    expect((await get(path)).status).toBe(404);
  }
});

test('lists every error code with an anchor', async () => {
  const { status, text } = await get('/docs/errors');
  expect(status).toBe(200);
  for (const code of Object.keys(failures)) expect(text).toContain(`id="${code}"`);
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
