import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import type { Switchboard } from '../support/installation.js';
import { asObjects, asText } from '../support/json.js';
import { startMailServer, type MailServer } from '../support/mail-server.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { sandboxControl } from '../support/sandbox-control.js';
import { connectAccount } from '../support/sandbox-store.js';
import { serveSwitchboard } from '../support/serve-switchboard.js';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.js';
import { openChromium, openVisitor } from './open-visitor.js';

let mails: MailServer;
let switchboard: Switchboard;
let receiver: WebhookReceiver;
let client: RestClient;
let browser: Browser;
beforeAll(async () => {
  mails = await startMailServer();
  receiver = await startWebhookReceiver();
  switchboard = await serveSwitchboard({
    name: 'emails',
    env: {
      SWITCHBOARD_SMTP_URL: mails.url,
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: receiver.host,
    },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
  browser = await openChromium();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await switchboard?.stop();
  await receiver?.close();
  await mails?.close();
});

const publish = (connection: string, text: string, more: object = {}) =>
  client.expect(201, 'POST', '/social/posts', {
    body: { text, targets: [{ connection_id: connection }], ...more },
    headers: { Prefer: 'wait=20' },
  });

/** One item of each kind that the sandbox can cause. */
async function causeItems(): Promise<void> {
  const sandbox = sandboxControl(switchboard.sandboxUrl);
  const path_prefix = '/api/posts';
  const works = await connectAccount(client, 'sandbox_social', 'maren-holt');
  const lost = await connectAccount(client, 'sandbox_social', 'tidal-museum');
  const ended = await connectAccount(client, 'sandbox_social', 'lumen-coffee');
  const dueMs = Date.now() + 1000;
  await publish(works, 'Open house on Saturday: come and taste the spring blends', {
    scheduled_at: new Date(dueMs).toISOString(),
    not_after: new Date(dueMs + 1).toISOString(),
  });
  await sandbox.fault({ platform: 'social', kind: '403', match: { method: 'POST', path_prefix } });
  await publish(works, `A_long_word_without_a_space_${'x'.repeat(60)} <b>and markup</b>`);
  await sandbox.fault({
    platform: 'social',
    kind: '403',
    times: null,
    match: { method: 'GET', path_prefix },
  });
  await sandbox.fault({
    platform: 'social',
    kind: 'reset-after-effect',
    match: { method: 'POST', path_prefix },
  });
  await publish(lost, 'New exhibition: tides of the north');
  await sandbox.clearFaults();
  for (const day of ['2027-05-04', '2027-05-05'])
    await publish(ended, `Waits until ${day}`, { scheduled_at: `${day}T09:00:00Z` });
  await sandbox.revokeGrants('lumen-coffee');
  await client.get(`/connections/${ended}`, { query: { refresh: true } });
  receiver.respond('/gone', (response) => response.writeHead(410).end());
  const webhook = { url: `${receiver.url}/gone`, events: ['key.created'], description: 'CRM' };
  await client.expect(201, 'POST', '/webhooks', { body: webhook });
  await client.expect(201, 'POST', '/keys', { body: { name: 'event', scopes: ['posts:read'] } });
  await eventually('every item waits', async () => {
    const { data } = await client.expect(200, 'GET', '/attention', { query: { limit: 100 } });
    const kinds = new Set(asObjects(data).map(({ kind }) => asText(kind)));
    return expectedKinds.every((kind) => kinds.has(kind)) || null;
  });
}
const expectedKinds = [
  'connection_needs_reauth',
  'connection_degraded',
  'post_needs_review',
  'post_failed',
  'post_missed',
  'webhook_disabled',
];

test('an e-mail with each kind of item is readable in light and dark, on phones, without images or scripts', async () => {
  await causeItems();
  const body = { display_name: 'Lumen Coffee Roasters', notify_emails: ['team@lumen.example'] };
  await client.expect(200, 'PATCH', '/workspace', { body });
  const mail = await eventually('the e-mail arrives', async () => mails.received[0] ?? null);
  const html = String(mail.html);
  expect(mail.subject).toMatch(/^Lumen Coffee Roasters: \d items wait for a person$/);

  const visitor = await openVisitor(browser, switchboard.url);
  const requested: string[] = [];
  visitor.context.on('request', (request) => requested.push(request.url()));
  await visitor.page.setContent(html);
  await visitor.inspect('email');
  expect(requested).toEqual([]);
  expect(await visitor.page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(
    expect.arrayContaining([
      'An account must be reconnected',
      'The outcome of a post is unknown',
      'A post failed',
      'A post was missed',
      'A webhook was disabled',
    ]),
  );
  // A person who reads only the text finds the same links.
  for (const link of await visitor.page.getByRole('link').all())
    expect(mail.text).toContain(await link.getAttribute('href'));
  // Where an e-mail program removes the style sheet, everything remains in its order.
  const shown = await visitor.page.locator('main').innerText();
  await visitor.page.setContent(html.replace(/<style>[^]*?<\/style>/, ''));
  expect(wordsOf(await visitor.page.locator('main').innerText())).toEqual(wordsOf(shown));
  await visitor.close();
});

const wordsOf = (text: string) => text.split(/\s+/);
