import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { connectSandbox } from '../support/connect-sandbox.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import type { Switchboard } from '../support/installation.js';
import { serveSwitchboard } from '../support/serve-switchboard.js';
import { openChromium } from './open-visitor.js';

const SCREENSHOTS = join(import.meta.dirname, '../../screenshots');

let switchboard: Switchboard;
let browser: Browser;
let client: RestClient;
beforeAll(async () => {
  [switchboard, browser] = await Promise.all([serveSwitchboard({ name: 'chart_pages' }), openChromium()]);
  client = restClient(switchboard.url, switchboard.keys.full);
  for (const account of ['maren-holt', 'lumen-coffee', 'tidal-museum']) await connect(account);
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await switchboard?.stop();
});

async function connect(account: string): Promise<void> {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform: 'sandbox_social' } });
  await connectSandbox(String(session['url']), { account });
}

const queries = [
  ['engagements by platform', 'type=bar'],
  ['impressions by account', 'type=bar&group_by=connection&metrics=impressions&sort=-impressions'],
  ['engagement rate by post', 'type=bar&group_by=post&metrics=engagement_rate&sort=-engagement_rate'],
  ['likes, comments and shares by account', 'type=bar&group_by=connection&metrics=likes,comments,shares'],
  ['stacked reactions by account', 'type=stacked&group_by=connection&metrics=likes,comments,shares'],
  ['impressions by day and account', 'type=line&group_by=connection&metrics=impressions'],
  ['impressions by week, stacked', 'type=stacked&granularity=week&group_by=connection&metrics=impressions'],
  ['several metrics by day', 'type=line&metrics=likes,comments,shares'],
  ['activity by day', 'type=bar&granularity=day&basis=activity&metrics=likes'],
  ['saves, which nothing provides', 'type=line&metrics=saves'],
] as const;

const read = async (query: string): Promise<string> => {
  const response = await fetch(`${switchboard.url}/v1/social/analytics/chart.svg?source=all&${query}`, {
    headers: { authorization: `Bearer ${switchboard.keys.full}` },
  });
  expect(response.status).toBe(200);
  return response.text();
};

describe.each(queries)('%s', (name, query) => {
  test.each([
    ['desktop', 720],
    ['phone', 375],
  ] as const)(
    'is readable on a %s, in light and dark, also for screen readers',
    async (size, width) => {
      const svg = await read(`${query}&width=${width}`);
      const context = await browser.newContext({ viewport: { width, height: 400 }, bypassCSP: true });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('request', (request) => complaints.push(`requested ${request.url()}`));
      await page.setContent(
        `<!doctype html><html lang="en"><title>Chart</title><body style="margin:0"><main><h1 hidden>Chart</h1>${svg}</main></body></html>`,
      );
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const path = join(SCREENSHOTS, `chart-${name.replace(/\W+/g, '-')}-${size}-${colorScheme}.png`);
        await page.screenshot({ path });
        // Vega makes labels that would overlap transparent.
        const cut = await page.evaluate<string[]>(
          `[...document.querySelectorAll('svg g[aria-hidden] text:not([opacity="0"])')].filter((text) => {
          const box = text.getBoundingClientRect();
          return box.width > 0 && (box.left < -1 || box.right > ${width + 1} || box.top < -1);
        }).map((text) => text.textContent)`,
        );
        expect(cut).toEqual([]);
        const background = await page.evaluate<string>(
          `getComputedStyle(document.querySelector('svg g[aria-hidden] rect, svg rect')).fill`,
        );
        expect(background).toBe(colorScheme === 'dark' ? 'rgb(15, 20, 25)' : 'rgb(255, 255, 255)');
      }
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<{ violations: { id: string }[] }>(
        `axe.run('svg', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'], rules: { 'color-contrast': { enabled: false } } })`,
      );
      expect(violations.map(({ id }) => id)).toEqual([]);
      expect(complaints).toEqual([]);
      await context.close();
    },
    120_000,
  );
});
