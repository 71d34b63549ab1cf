import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { dumpDatabase, queryRows } from '../support/database.js';
import { restClient } from '../support/rest-client.js';
import type { Switchboard } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { expectHardened } from './expect-hardened.js';
import { openChromium, openVisitor, type Visitor } from './open-visitor.js';

let switchboard: Switchboard;
let browser: Browser;
let me: Visitor;
beforeAll(async () => {
  [switchboard, browser] = await Promise.all([startSwitchboard({ name: 'browser' }), openChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await switchboard?.stop();
});
beforeEach(async () => {
  me = await openVisitor(browser, switchboard.url);
});
afterEach(async () => {
  for (const answer of me.responses) expectHardened(answer.url(), answer.status(), answer.headers());
  expect(me.responses.length).toBeGreaterThan(0);
  await me.close();
});

interface ConnectLink {
  readonly id: string;
  readonly url: string;
}

async function newLink(body: object = { platform: 'sandbox_social' }): Promise<ConnectLink> {
  const client = restClient(switchboard.url, switchboard.keys.full);
  const answer = await client.post('/connect/url', body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json as unknown as ConnectLink;
}

async function sessionOf({ id }: ConnectLink) {
  const client = restClient(switchboard.url, switchboard.keys.full);
  const { json } = await client.get(`/connect/sessions/${id}`);
  return json as unknown as { status: string; connection_ids: string[]; error: { code: string } | null };
}

/** Acts on the sandbox's consent page. */
async function approve(page: Page, account: string, also: readonly string[] = []): Promise<void> {
  await page.locator(`input[name=account][value=${account}]`).check();
  if (also.length > 0) await page.getByText('One login for several accounts').click();
  for (const one of also) await page.locator(`input[name=also][value=${one}]`).check();
  await me.press('Approve', page);
}

describe('one account', () => {
  test('is connected by consent, and going back or reopening the link shows that it is connected', async () => {
    const link = await newLink();
    await me.page.goto(link.url);
    expect(await me.heading()).toBe('Connect Sandbox Social');
    await me.inspect('platform');
    await me.press('Continue to Sandbox Social');
    await approve(me.page, 'maren-holt');
    expect(await me.heading()).toBe('Connected');
    await me.inspect('connected');
    expect(await sessionOf(link)).toMatchObject({
      status: 'connected',
      connection_ids: [expect.any(String)],
    });
    await me.page.reload();
    expect(await me.heading()).toBe('Connected');
    await me.page.goBack();
    await me.page.goBack();
    expect(await me.heading()).toBe('Connected');
    await me.page.goto(`${switchboard.url}/oauth/callback/sandbox_social?state=used&code=used`);
    expect(await me.heading()).toBe('Nothing to complete here');
    await me.inspect('nothing-waiting');
  });

  test('is not connected after a denial', async () => {
    const link = await newLink();
    await me.page.goto(link.url);
    await me.press('Continue to Sandbox Social');
    await me.press('Deny');
    expect(await me.heading()).toBe('Not connected');
    await me.inspect('denied');
    expect(await sessionOf(link)).toMatchObject({ status: 'failed', error: { code: 'denied' } });
  });

  test('is reconnected with the same account only', async () => {
    const first = await newLink();
    await me.page.goto(first.url);
    await me.press('Continue to Sandbox Social');
    await approve(me.page, 'tidal-museum');
    const [id] = (await sessionOf(first)).connection_ids;
    const again = await newLink({ connection_id: id });
    await me.page.goto(again.url);
    expect(await me.heading()).toBe('Connect Sandbox Social again');
    await me.inspect('again');
    await me.press('Continue to Sandbox Social');
    await approve(me.page, 'maren-holt');
    expect(await me.heading()).toBe('Not connected');
    await me.inspect('wrong-account');
    const third = await newLink({ connection_id: id });
    await me.page.goto(third.url);
    await me.press('Continue to Sandbox Social');
    await approve(me.page, 'lumen-coffee', ['tidal-museum']);
    expect(await me.heading()).toBe('Connected');
    expect((await sessionOf(third)).connection_ids).toEqual([id]);
  });

  test('is cancelled without side effects', async () => {
    const link = await newLink();
    await me.page.goto(link.url);
    await me.press('Cancel');
    expect(await me.heading()).toBe('Canceled');
    await me.inspect('cancelled');
    expect(await sessionOf(link)).toMatchObject({ status: 'cancelled', connection_ids: [] });
  });
});

test('connects only the selected accounts of a login', async () => {
  const link = await newLink();
  await me.page.goto(link.url);
  await me.press('Continue to Sandbox Social');
  await approve(me.page, 'maren-holt', ['lumen-coffee', 'tidal-museum']);
  expect(await me.heading()).toBe('Which accounts?');
  await me.inspect('accounts');
  await me.press('Connect selected accounts');
  expect(await me.page.getByRole('alert').innerText()).toBe('Choose at least one account.');
  await me.inspect('accounts-none-chosen');
  await me.page.getByLabel('Lumen Coffee').check();
  await me.page.getByLabel('Maren Holt').check();
  await me.press('Connect selected accounts');
  expect(await me.heading()).toBe('Connected');
  await me.inspect('two-connected');
  expect((await sessionOf(link)).connection_ids).toHaveLength(2);
});

test('selecting none of a login’s accounts leads back to the start', async () => {
  const link = await newLink();
  await me.page.goto(link.url);
  await me.press('Continue to Sandbox Social');
  await approve(me.page, 'maren-holt', ['lumen-coffee']);
  await me.press('None of these');
  expect(await me.heading()).toBe('Connect Sandbox Social');
  expect((await sessionOf(link)).status).toBe('pending');
});

test('one of many platforms is found by its name, with the keyboard only', async () => {
  await me.page.goto((await newLink({})).url);
  expect(await me.page.locator('main h2').allTextContents()).toEqual(['Social networks', 'Online stores']);
  await me.inspect('all-platforms');
  await me.page.setViewportSize({ width: 320, height: 640 });
  const split = await me.page.evaluate<string[]>(
    `[...document.querySelectorAll('.choices strong')].filter((name) => {
      const range = document.createRange();
      range.selectNodeContents(name);
      return range.getClientRects().length > name.textContent.split(' ').length;
    }).map((name) => name.textContent)`,
  );
  expect(split).toEqual([]);
  await me.page.getByLabel('Search platforms').focus();
  await me.page.keyboard.type('woo');
  await me.page.keyboard.press('Enter');
  await me.page.waitForURL(/search=woo/);
  expect(await me.page.locator('.choices strong').allTextContents()).toEqual(['WooCommerce']);
  await me.inspect('found-platform');
  await me.page.getByText('Show all platforms').click();
  expect(await me.page.locator('.choices li').count()).toBeGreaterThan(8);
});

test('several platforms are connected with one link, and a denial does not affect the others', async () => {
  const link = await newLink({ platforms: ['sandbox_social', 'sandbox_store', 'bluesky'] });
  await me.page.goto(link.url);
  expect(await me.heading()).toBe('Connect an account');
  await me.inspect('choice');
  await me.press(/^Sandbox Social/);
  await me.press('Continue to Sandbox Social');
  await approve(me.page, 'lumen-coffee');
  expect(await me.heading()).toBe('Connected');
  await me.inspect('connect-another');
  expect(await sessionOf(link)).toMatchObject({ status: 'pending', connection_ids: [expect.any(String)] });
  await me.press(/^Sandbox Store/);
  await me.press('Continue to Sandbox Store');
  await me.press('Deny');
  expect(await me.heading()).toBe('Not connected');
  await me.inspect('denied-another');
  await me.press(/^Sandbox Store/);
  await me.press('Continue to Sandbox Store');
  await me.press('Approve');
  expect(await me.heading()).toBe('Connected');
  await me.press('Done');
  expect(await me.heading()).toBe('Connected');
  const done = await sessionOf(link);
  expect([done.status, done.connection_ids.length]).toEqual(['connected', 2]);
});

test('an incomplete form shows the error next to the field and keeps every input except passwords', async () => {
  await me.page.goto((await newLink({ platform: 'bluesky' })).url);
  await me.inspect('bluesky');
  await me.page.getByText('Use an app password').click();
  await me.page.locator('#app_password-handle').fill('ada.example');
  await me.page.locator('details form button').click();
  const password = me.page.locator('#app_password-password');
  expect(await password.getAttribute('aria-invalid')).toBe('true');
  expect(await password.getAttribute('aria-describedby')).toBe(
    'app_password-password-hint app_password-password-wrong',
  );
  expect(await me.page.evaluate('document.activeElement.id')).toBe('app_password-password');
  expect(await me.page.locator('#app_password-handle').inputValue()).toBe('ada.example');
  expect(await me.page.title()).toMatch(/^Error: /);
  await me.inspect('form-error');
});

describe('an unusable link', () => {
  test('has expired', async () => {
    const link = await newLink();
    await queryRows(
      switchboard.databaseUrl,
      `UPDATE connect_sessions SET expires_at = now() WHERE id = '${link.id}' RETURNING id`,
    );
    await me.page.goto(link.url);
    expect(await me.heading()).toBe('This link has expired');
    await me.inspect('expired');
  });

  test('that was completed in another tab', async () => {
    const link = await newLink();
    const [one, two] = [me.page, await me.context.newPage()];
    await one.goto(link.url);
    await two.goto(link.url);
    await me.press('Continue to Sandbox Social', one);
    await approve(one, 'maren-holt');
    await me.press('Continue to Sandbox Social', two);
    expect(await me.heading(two)).toBe('Connected');
    await me.inspect('other-tab', two);
  });

  test('that never existed', async () => {
    await me.page.goto(`${switchboard.url}/connect/nothing`);
    expect(await me.heading()).toBe('This link is not valid');
    await me.inspect('not-valid');
  });
});

test('a different browser cannot complete the flow and is shown what to do', async () => {
  const link = await newLink();
  await me.page.goto(link.url);
  await me.press('Continue to Sandbox Social');
  // The other browser lacks this cookie.
  await me.context.clearCookies({ name: 'swb_connect' });
  await approve(me.page, 'maren-holt');
  expect(await me.heading()).toBe('Nothing to complete here');
  expect((await sessionOf(link)).status).toBe('pending');
});

test('code, state and link appear in no log line and in no table', async () => {
  const link = await newLink();
  await me.page.goto(link.url);
  await me.press('Continue to Sandbox Social');
  await approve(me.page, 'lumen-coffee');
  const callback = me.responses.map((answer) => answer.url()).find((url) => url.includes('/oauth/callback/'));
  const parameters = new URL(callback ?? '').searchParams;
  const secrets = [parameters.get('code'), parameters.get('state'), link.url.split('/').at(-1)];
  const storedSecrets = [switchboard.logs(), ...(await dumpDatabase(switchboard.databaseUrl)).values()].join(
    '\n',
  );
  expect(storedSecrets).toContain(link.id);
  for (const secret of secrets) {
    expect(secret?.length).toBeGreaterThan(20);
    expect(storedSecrets.includes(secret ?? '')).toBe(false);
  }
});

test('a form submitted without cookies is rejected with a way to continue', async () => {
  const link = await newLink();
  await me.page.goto(link.url);
  await me.context.clearCookies();
  await me.press('Continue to Sandbox Social');
  expect(await me.heading()).toBe('The form was not accepted');
  await me.inspect('no-cookies');
  await me.press('Try again');
  expect(await me.heading()).toBe('Connect Sandbox Social');
});

test('viewing a link changes nothing', async () => {
  const link = await newLink();
  for (const method of ['HEAD', 'GET', 'HEAD']) {
    const answer = await fetch(link.url, { method, redirect: 'manual' });
    expect([method, answer.status]).toEqual([method, 200]);
    expectHardened(link.url, answer.status, Object.fromEntries(answer.headers));
  }
  expect((await sessionOf(link)).status).toBe('pending');
  await me.page.goto(link.url);
  expect(await me.heading()).toBe('Connect Sandbox Social');
});

test.each([
  ['de', 'Sandbox Social verbinden'],
  ['es', 'Conectar Sandbox Social'],
  ['fr', 'Connecter Sandbox Social'],
])('is shown in %s when the link or the browser requests it', async (language, heading) => {
  await me.page.goto((await newLink({ platform: 'sandbox_social', locale: language })).url);
  expect([await me.heading(), await me.page.locator('html').getAttribute('lang')]).toEqual([
    heading,
    language,
  ]);
  await me.inspect(`platform-${language}`);
  await me.page.goto((await newLink({ platform: 'bluesky', locale: language })).url);
  await me.inspect(`bluesky-${language}`);
  const native = await openVisitor(browser, switchboard.url, language);
  await native.page.goto((await newLink()).url);
  expect(await native.heading()).toBe(heading);
  await native.close();
});

test('shows the workspace’s color and name, of any length', async () => {
  await queryRows(
    switchboard.databaseUrl,
    `UPDATE workspaces SET accent_color = '#ffe600', display_name = 'Kaffeerösterei Lichtenberg & Töchter – Geschäftsstelle Nordwestmecklenburg',
      support_email = 'help@lumen.example', privacy_url = 'https://lumen.example/privacy' RETURNING id`,
  );
  await me.page.goto((await newLink()).url);
  await me.inspect('branded');
  await queryRows(
    switchboard.databaseUrl,
    `UPDATE workspaces SET accent_color = NULL, display_name = NULL, support_email = NULL, privacy_url = NULL RETURNING id`,
  );
});
