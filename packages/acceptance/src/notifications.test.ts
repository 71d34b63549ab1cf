import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectSandbox } from './support/connect-sandbox.js';
import { eventually } from './support/eventually.js';
import { asText } from './support/json.js';
import { startMailServer, type MailServer } from './support/mail-server.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { connectAccount } from './support/sandbox-store.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const ACCOUNT = 'maren-holt';
let mails: MailServer;
let switchboard: Switchboard;
let client: RestClient;
beforeAll(async () => {
  mails = await startMailServer();
  switchboard = await serveSwitchboard({
    name: 'notifications',
    env: { SWITCHBOARD_SMTP_URL: mails.url },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await switchboard?.stop();
  await mails?.close();
});

test('the owner of an account whose login ended is notified by e-mail, with the waiting post and a link that reconnects it', async () => {
  const body = { display_name: 'Lumen Coffee', notify_emails: ['team@lumen.example'] };
  await client.expect(200, 'PATCH', '/workspace', { body });
  const connection = await connectAccount(client, 'sandbox_social', ACCOUNT);
  await client.expect(201, 'POST', '/social/posts', {
    body: {
      text: 'Waits',
      targets: [{ connection_id: connection }],
      scheduled_at: '2027-05-04T09:00:00Z',
    },
  });
  await sandboxControl(switchboard.sandboxUrl).revokeGrants(ACCOUNT);
  await client.expect(201, 'POST', '/social/posts', {
    body: { text: 'Is refused', targets: [{ connection_id: connection }] },
  });
  const mail = await eventually('the e-mail arrives', async () => mails.received[0] ?? null);
  expect(mail).toMatchObject({
    subject: 'Lumen Coffee: An account must be reconnected',
    from: { text: 'switchboard@lumen.example' },
    to: { text: 'team@lumen.example' },
  });
  expect(mail.text).toMatch(/scheduled posts? depends? on it, the first due at/);
  const link = /http:\/\/127\.0\.0\.1:\d+\/connect\/\S+/.exec(mail.text ?? '')?.[0] ?? '';
  await connectSandbox(link, { account: ACCOUNT });
  expect(await client.expect(200, 'GET', `/connections/${connection}`)).toMatchObject({ status: 'active' });
  expect(switchboard.logs()).not.toContain('team@lumen.example');
  const { data } = (await client.expect(200, 'GET', '/audit', {
    query: { action: 'sendNotification' },
  })) as { data: { details: object }[] };
  expect(data).toMatchObject([{ actor: 'system:notifications', details: { items: 1, addresses: 1 } }]);
  const metrics = await (await fetch(`${switchboard.url}/metrics`)).text();
  expect(metrics).toContain('switchboard_emails_total{outcome="sent"} 1');
});

test('an address that is none and a list with duplicates are refused', async () => {
  for (const notify_emails of [
    ['someone'],
    ['a@b.example', 'A@b.example'],
    ['a@b.example\r\nBcc: c@d.example'],
  ]) {
    const { status, json } = await client.sendRequest('PATCH', '/workspace', { body: { notify_emails } });
    expect([status, asText(json['code'])]).toEqual([400, 'request.invalid']);
  }
});

test('an installation without a mail server refuses addresses, and names the setting', async () => {
  const { url, server: program } = await switchboard.startReplica({ SWITCHBOARD_SMTP_URL: '' });
  const other = restClient(url, switchboard.keys.full);
  expect(
    await other.expect(400, 'PATCH', '/workspace', { body: { notify_emails: ['ops@lumen.example'] } }),
  ).toMatchObject({ detail: expect.stringContaining('SWITCHBOARD_SMTP_URL') });
  await other.expect(200, 'PATCH', '/workspace', { body: { notify_emails: [] } });
  await program.stop();
});
