import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import type { Switchboard } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { openChromium } from './open-visitor.js';

let switchboard: Switchboard;
let browser: Browser;
let page: Page;
let complaints: string[];
beforeAll(async () => {
  [switchboard, browser] = await Promise.all([startSwitchboard({ name: 'docs_pages' }), openChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await switchboard?.stop();
});
beforeEach(async () => {
  complaints = [];
  page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(switchboard.url)) complaints.push(`requested ${request.url()}`);
  });
});
/** Nothing violated the content security policy, failed, or went to another host. */
afterEach(async () => {
  await page.close();
  expect(complaints).toEqual([]);
});

const open = (path: string) => page.goto(new URL(path, switchboard.url).href, { waitUntil: 'commit' });
const isReadable = (id: string) => page.locator(`#${id} h3`).waitFor({ state: 'visible' });
const found = () =>
  page.evaluate<string[]>(
    '[...document.querySelectorAll(".operation")].filter((one) => !one.hidden).map(({ id }) => id)',
  );

test('shows the first operation before any script has arrived, and the one that a link names', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let scripts = 0;
  await page.route('**/*.js', async (route) => {
    scripts += 1;
    await released;
    await route.continue();
  });
  await open('/');
  await isReadable('getMe');
  release();
  await page.waitForLoadState('load');
  expect(scripts).toBeGreaterThan(0);
  expect(page.url()).toBe(new URL('/docs', switchboard.url).href);
  await open('/docs#refundOrder');
  await expect(page.locator('#refundOrder').isVisible()).resolves.toBe(true);
});

test('finds operations by summary, description, field and code', async () => {
  await open('/docs');
  await isReadable('getMe');
  const search = page.getByLabel('Search');
  const all = (await found()).length;
  for (const [words, expected] of [
    ['refund an order', 'refundOrder'],
    ['without storing', 'validatePost'],
    ['refundable_online', 'getOrder'],
    ['first_comment', 'createPost'],
    ['connection.needs_reauth', 'quoteRefund'],
  ] as const) {
    await search.fill(words);
    const ids = await found();
    expect([words, ids]).toEqual([words, expect.arrayContaining([expected])]);
    expect(ids.length).toBeLessThan(all / 2);
    expect(await page.getByRole('status').first().innerText()).toMatch(/^\d+ operations?$/);
  }
  await search.fill('');
  expect((await found()).length).toBe(all);
});

test('sends requests from the page, a second time too', async () => {
  await open('/docs#createProfile');
  await page.getByLabel('API key').fill(switchboard.keys.full);
  const article = page.locator('#createProfile');
  await article.getByText('Try it').click();
  await article.getByLabel('Body').fill('{"name": "From the page"}');
  const ids = new Set<string>();
  for (let time = 0; time < 2; time += 1) {
    const responded = page.waitForResponse(/\/v1\/profiles$/);
    await article.getByRole('button', { name: 'Send' }).click();
    const response = await responded;
    expect(response.status()).toBe(201);
    ids.add(((await response.json()) as { id: string }).id);
    await article.getByText(/201 Created/).waitFor();
  }
  expect(ids.size).toBe(2);

  const [id = ''] = ids;
  const read = page.locator('#getProfile');
  await read.getByText('Try it').click();
  await read.getByLabel('id', { exact: true }).fill(id);
  await read.getByRole('button', { name: 'Send' }).click();
  await read.getByText(/"From the page"/).waitFor();
});

test('sends query parameters, and shows a failure as it is', async () => {
  await open('/docs#listPosts');
  const article = page.locator('#listPosts');
  await article.getByText('Try it').click();
  await article.getByLabel('status').fill('published,failed');
  await article.getByRole('button', { name: 'Send' }).click();
  await article.getByText('auth.invalid_key').last().waitFor();
  await page.getByLabel('API key').fill(switchboard.keys.full);
  await article.getByRole('button', { name: 'Send' }).click();
  await article.getByText('GET /v1/social/posts?status=published%2Cfailed').waitFor();
  await article.getByText('200 OK').waitFor();
});

test.each([320, 375, 740, 1280])('splits no word of an error code at a width of %i px', async (width) => {
  await page.setViewportSize({ width, height: 640 });
  await open('/docs/errors');
  await page.waitForLoadState();
  const words = await page.evaluate<readonly { word: string; lines: number }[]>(
    `[...document.querySelectorAll("td:first-child code")].flatMap((code) =>
      [...code.childNodes].filter((part) => part.nodeType === Node.TEXT_NODE).map((part) => {
        const range = document.createRange();
        range.selectNodeContents(part);
        return { word: part.data, lines: range.getClientRects().length };
      }))`,
  );
  expect(words.length).toBeGreaterThan(100);
  expect(words.filter(({ lines }) => lines !== 1)).toEqual([]);
});

test.each(['/docs', '/docs/errors'])('%s fits a phone and is accessible', async (path) => {
  for (const width of [320, 740, 1280]) {
    await page.setViewportSize({ width, height: 640 });
    await open(path);
    await page.waitForLoadState();
    const wide = await page.evaluate(
      '[...document.querySelectorAll("*")].filter((one) => one.scrollWidth > innerWidth).map((one) => one.tagName)',
    );
    expect([width, wide]).toEqual([width, []]);
  }
  await page.screenshot({ path: `screenshots/docs${path.replaceAll('/', '-')}.png` });
  const auditPage = await browser.newPage();
  await auditPage.setContent(await page.content());
  const style = await fetch(new URL('/docs/docs.css', switchboard.url));
  await auditPage.addStyleTag({ content: await style.text() });
  await auditPage.evaluate(axe.source);
  const rules = ['wcag2a', 'wcag2aa', 'wcag21aa'];
  const violations = await auditPage.evaluate<readonly string[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html).join(' ')))`,
  );
  await auditPage.close();
  expect(violations).toEqual([]);
});
