import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Scope } from '@switchboard/domain/access';
import { findForm, openBrowser, type Browser, type PageVisit } from './support/browser.js';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import type { Switchboard } from './support/installation.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { startMailServer, type MailServer } from './support/mail-server.js';
import { connectMcpHttp } from './support/mcp-client.js';
import { openOperator, type CreatedKey, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { noisyPng } from './support/sample-media.js';
import { sandboxControl } from './support/sandbox-control.js';
import { refundableOrders, type SandboxOrder } from './support/sandbox-store.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { buildTestWorld, type TestWorld } from './support/test-world.js';
import { startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver.js';

let mails: MailServer;
let receiver: WebhookReceiver;
let switchboard: Switchboard;
let operator: Operator;
let world: TestWorld;
let orders: SandboxOrder[];
let agentKey: CreatedKey;
/** Everything that the agent receives. */
const heard: string[] = [];
let agent: RestClient;
let person: RestClient;
let sandbox: ReturnType<typeof sandboxControl>;

const approval = {
  posts: 'always',
  refundsOver: [{ currency: 'EUR', amountMinor: 0 }],
  expiresInHours: 24,
} as const;
const agentScopes: readonly Scope[] = [
  'posts:write',
  'orders:read',
  'refunds:write',
  'events:read',
  'connections:read',
  'approvals:write',
  'audit:read',
  'keys:admin',
  'webhooks:write',
  'workspace:admin',
];

beforeAll(async () => {
  [mails, receiver] = await Promise.all([startMailServer(), startWebhookReceiver()]);
  switchboard = await serveSwitchboard({
    name: 'decision_page',
    mcp: true,
    env: { SWITCHBOARD_SMTP_URL: mails.url, SWITCHBOARD_ALLOW_PRIVATE_HOSTS: receiver.host },
  });
  operator = await openOperator(switchboard);
  const { url, keys } = switchboard;
  world = await buildTestWorld(url, keys.full, { social: 'maren-holt', store: 'alder-oak' });
  orders = [...(await refundableOrders(world.client, world.store))].slice(2);
  agentKey = await operator.createKey({ scopes: agentScopes, policy: { approval } });
  agent = restClient(url, agentKey.token, heard);
  person = restClient(url, (await operator.createKey({ scopes: ['approvals:write', 'events:read'] })).token);
  sandbox = sandboxControl(switchboard.sandboxUrl);
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
  await Promise.all([receiver?.close(), mails?.close()]);
});

let count = 0;
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const requestPost = (more: object = {}) =>
  agent.expect(201, 'POST', '/social/posts', {
    body: {
      text: `Decided on the page, number ${++count}`,
      scheduled_at: tomorrow(),
      targets: [{ connection_id: world.social }],
      ...more,
    },
  });
const requestRefund = (body: object = { amount: '1.00' }) => {
  const order = orders.shift();
  if (!order) throw new Error('no refundable order is left');
  return agent.expect(201, 'POST', `/ecommerce/orders/${order.id}/refund`, { body });
};
const approvalOf = (value: JsonObject): string => asText(asObject(value['approval'])['id']);
async function linkOf(value: JsonObject, by = person): Promise<string> {
  const { data } = await by.expect(200, 'GET', '/approvals', { query: { limit: 100 } });
  return asText(asObjects(data).find(({ id }) => id === approvalOf(value))?.['decision_url']);
}
const statusOf = async (value: JsonObject) => {
  const { data } = await person.expect(200, 'GET', '/approvals', { query: { limit: 100 } });
  return asObjects(data).find(({ id }) => id === approvalOf(value))?.['status'];
};
const press = (browser: Browser, page: PageVisit, verb: 'approve' | 'reject', more: object = {}) => {
  const { action, fields } = findForm(page, (form) => form.action.endsWith(`/${verb}`));
  return browser.post(action, { ...fields, ...more });
};
const headingOf = ({ text }: PageVisit) =>
  (/<h1>([^]*?)<\/h1>/.exec(text)?.[1] ?? '').replace(/<[^>]*>/g, '').trim();

describe('who receives the link', () => {
  test('keys that may decide, in the list and in the events; the requesting key and its family never', async () => {
    const post = await requestPost();
    const link = await linkOf(post);
    expect(link).toMatch(new RegExp(`^${switchboard.url}/approvals/[\\w-]{100,}$`));
    expect(await linkOf(post, world.client)).toBe(link);
    const requestOf = (client: RestClient) =>
      eventually('the request is listed', async () => {
        const query = { type: 'approval.*', limit: 100 };
        const { data } = await client.expect(200, 'GET', '/events', { query });
        const requests = asObjects(data).map((event) => asObject(event['data']));
        return requests.some((request) => request['approval_id'] === approvalOf(post)) ? requests : null;
      });
    expect(await requestOf(person)).toContainEqual(
      expect.objectContaining({ approval_id: approvalOf(post), decision_url: link }),
    );
    const child = await agent.expect(201, 'POST', '/keys', {
      body: {
        name: 'child',
        scopes: ['approvals:write', 'events:read'],
        policy: {
          approval: {
            posts: 'always',
            expires_in_hours: 24,
            refunds_over: [{ currency: 'EUR', amount: '0.00' }],
          },
        },
      },
    });
    const reader = await operator.createKey({ scopes: ['events:read'] });
    for (const client of [agent, restClient(switchboard.url, asText(child['secret']), heard)]) {
      const { data } = await client.expect(200, 'GET', '/approvals', { query: { limit: 100 } });
      expect(asObjects(data).some(({ id }) => id === approvalOf(post))).toBe(true);
      await requestOf(client);
    }
    expect(JSON.stringify(await requestOf(restClient(switchboard.url, reader.token)))).not.toContain(
      'decision_url',
    );
    await agent.expect(200, 'GET', '/audit', { query: { limit: 100 } });
    await agent.expect(200, 'GET', `/social/posts/${asText(post['id'])}`);
    const mcp = await connectMcpHttp(switchboard, agentKey.token);
    for (const [tool, input] of [
      ['get_post', { id: post['id'] }],
      ['list_attention', {}],
    ] as const)
      heard.push(JSON.stringify(await mcp.call(tool, input)));
    await mcp.close();
    const token = link.split('/').at(-1) ?? '';
    const all = heard.join('\n') + switchboard.logs();
    expect([all.includes(approvalOf(post)), all.includes(token)]).toEqual([true, false]);
  });

  test('webhooks whose URL a key set that may decide; not those of the requesting key, also where another key created them', async () => {
    const create = (client: RestClient, path: string) =>
      client.expect(201, 'POST', '/webhooks', {
        body: { url: `${receiver.url}${path}`, events: ['approval.requested'] },
      });
    await create(world.client, '/deciders');
    await create(agent, '/agent');
    const taken = await create(world.client, '/before');
    await agent.expect(200, 'PATCH', `/webhooks/${asText(taken['id'])}`, {
      body: { url: `${receiver.url}/taken` },
    });
    const post = await requestPost();
    const link = await linkOf(post);
    const receivedAt = (path: string) =>
      eventually(
        `${path} receives the event`,
        async () =>
          receiver.requests.find(
            (one) => one.path === path && one.event.data['approval_id'] === approvalOf(post),
          ) ?? null,
      );
    expect((await receivedAt('/deciders')).event.data['decision_url']).toBe(link);
    for (const path of ['/agent', '/taken'])
      expect((await receivedAt(path)).event.data).not.toHaveProperty('decision_url');
  });

  test('addresses that a key set which may decide', async () => {
    const body = { notify_emails: ['team@lumen.example'] };
    await world.client.expect(200, 'PATCH', '/workspace', { body });
    const mail = await eventually('the e-mail arrives', async () => mails.received[0] ?? null);
    const link = /http:\S+\/approvals\/\S+/.exec(mail.text ?? '')?.[0] ?? '';
    expect(headingOf(await openBrowser().get(link))).toBe('Publish this post?');
    const token = link.split('/').at(-1) ?? '';
    expect(switchboard.logs()).not.toContain(token);
  });
});

describe('the page', () => {
  test('approves, and rejects with a note; posts and refunds', async () => {
    const [post, rejected] = [await requestPost(), await requestPost()];
    const [refund, refused] = [await requestRefund(), await requestRefund()];
    for (const [value, verb, heading] of [
      [post, 'approve', 'Approved'],
      [rejected, 'reject', 'Rejected'],
      [refund, 'approve', 'Approved'],
      [refused, 'reject', 'Rejected'],
    ] as const) {
      const [browser, link] = [openBrowser(), await linkOf(value)];
      const page = await browser.get(link);
      expect([page.status, page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual([
        200,
        'no-store',
        'no-referrer',
      ]);
      const sent = await press(browser, page, verb, verb === 'reject' ? { note: 'Not\r\nlike this.' } : {});
      expect([sent.status, sent.headers.get('location')]).toEqual([303, new URL(link).pathname]);
      const after = await browser.get(link);
      expect([after.status, headingOf(after)]).toEqual([200, heading]);
    }
    expect(await agent.expect(200, 'GET', `/social/posts/${asText(post['id'])}`)).toMatchObject({
      status: 'scheduled',
      approval: { status: 'approved', decided_by: 'system:decision_page', note: null },
    });
    expect(await agent.expect(200, 'GET', `/social/posts/${asText(rejected['id'])}`)).toMatchObject({
      status: 'failed',
      approval: { status: 'rejected', note: 'Not\nlike this.' },
    });
    await eventually('the approved refund is made', async () => {
      const { status } = await agent.expect(200, 'GET', `/ecommerce/refunds/${asText(refund['id'])}`);
      return status === 'succeeded' ? true : null;
    });
    expect(await agent.expect(200, 'GET', `/ecommerce/refunds/${asText(refused['id'])}`)).toMatchObject({
      status: 'failed',
      error: { code: 'approval.rejected' },
    });
    const { data } = await world.client.expect(200, 'GET', '/audit', { query: { object: approvalOf(post) } });
    expect(data).toMatchObject([
      {
        actor: 'system:decision_page',
        action: 'approveApproval',
        details: { surface: 'hosted_page', address: '127.0.0.1', subject: post['id'] },
      },
    ]);
  });

  test('opened by a program that follows links, and with HEAD, it decides nothing and loads no script', async () => {
    const post = await requestPost();
    const link = await linkOf(post);
    for (const [method, suffix] of [
      ['GET', ''],
      ['HEAD', ''],
      ['GET', '/approve'],
      ['HEAD', '/reject'],
      ['PUT', ''],
      ['DELETE', '/approve'],
      ['OPTIONS', ''],
    ] as const) {
      const response = await fetch(`${link}${suffix}`, { method, redirect: 'manual' });
      expect([200, 303, 405]).toContain(response.status);
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; .*form-action 'self'/,
      );
      expect(response.headers.get('content-security-policy')).not.toContain('script-src');
    }
    expect(await statusOf(post)).toBe('pending');
  });

  test('the matrix of links: forged, of another approval, used twice, withdrawn, expired', async () => {
    const [post, other] = [await requestPost(), await requestPost()];
    const [link, otherLink] = [await linkOf(post), await linkOf(other)];
    const browser = openBrowser();
    const [page, otherPage] = [await browser.get(link), await browser.get(otherLink)];

    const forged = `${link.slice(0, -3)}${link.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    for (const bad of [forged, link.slice(0, -1), `${switchboard.url}/approvals/${approvalOf(post)}`]) {
      expect([(await browser.get(bad)).status, headingOf(await browser.get(bad))]).toEqual([
        404,
        'This link is not valid',
      ]);
      const { fields } = findForm(page, (form) => form.action.endsWith('/approve'));
      expect((await browser.post(`${bad}/approve`, fields)).status).toBe(404);
    }
    const foreign = findForm(otherPage, (form) => form.action.endsWith('/approve'));
    const own = findForm(page, (form) => form.action.endsWith('/approve'));
    expect((await browser.post(own.action, foreign.fields)).status).toBe(403);
    const mixed = { ...own.fields, digest: foreign.fields['digest'] ?? '' };
    const changed = await browser.post(own.action, mixed);
    expect([changed.status, headingOf(changed)]).toEqual([409, 'This request has changed']);
    expect([await statusOf(post), await statusOf(other)]).toEqual(['pending', 'pending']);

    expect((await press(browser, page, 'approve')).status).toBe(303);
    for (const verb of ['approve', 'reject'] as const) {
      const again = await press(browser, page, verb, { note: 'Later.' });
      expect([again.status, headingOf(again)]).toEqual([409, 'Approved']);
      expect(again.text).toContain('This was decided before');
    }

    await agent.expect(200, 'PATCH', `/social/posts/${asText(other['id'])}`, { body: { text: 'Edited' } });
    const withdrawn = await press(browser, otherPage, 'approve');
    expect([withdrawn.status, headingOf(withdrawn)]).toEqual([409, 'This request has changed']);
    expect(headingOf(await browser.get(otherLink))).toBe('This request has changed');

    const late = await requestPost();
    const lateLink = await linkOf(late);
    const latePage = await browser.get(lateLink);
    await queryRows(
      switchboard.databaseUrl,
      `UPDATE approvals SET requested_at = now() - interval '2 days', expires_at = now() - interval '1 second' WHERE id = '${approvalOf(late)}'`,
    );
    const expired = await press(browser, latePage, 'approve');
    expect([expired.status, headingOf(expired)]).toEqual([409, 'The time to decide is over']);
    expect((await browser.get(lateLink)).status).toBe(410);
    await eventually('the expiry is recorded', async () =>
      (await statusOf(late)) === 'expired' ? true : null,
    );
  });

  test('accepts its form from this browser and this site only, and no rejection without a note', async () => {
    const post = await requestPost();
    const link = await linkOf(post);
    const browser = openBrowser();
    const page = await browser.get(link);
    const { action, fields } = findForm(page, (form) => form.action.endsWith('/approve'));
    expect((await openBrowser().post(action, fields)).status).toBe(403);
    const send = (headers: Readonly<Record<string, string>>) =>
      fetch(action, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { cookie: browser.cookie(action), ...headers },
        redirect: 'manual',
      });
    for (const site of ['cross-site', 'same-site'])
      expect((await send({ 'sec-fetch-site': site })).status).toBe(403);
    expect((await send({ 'content-type': 'application/json' })).status).toBe(415);
    expect((await browser.post(action, { ...fields, csrf: 'x' })).status).toBe(403);
    for (const note of ['', ' \r\n ', 'x'.repeat(1001)]) {
      const asked = await press(browser, page, 'reject', { note });
      expect([asked.status, asked.text.includes('Write a note')]).toEqual([422, true]);
    }
    expect(await statusOf(post)).toBe('pending');
    expect((await press(browser, page, 'reject', { note: 'x'.repeat(1000) })).status).toBe(303);
  });

  test('shows texts of others as text, and every image as it is sent, to the holder of the link only', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(noisyPng(64, 48))], { type: 'image/png' }), 'noise.png');
    const uploaded = await fetch(`${switchboard.url}/v1/social/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agentKey.token}` },
      body: form,
    });
    const media = (await uploaded.json()) as { id: string };
    const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)> \u202egnp.exe';
    const post = await requestPost({
      text: hostile,
      media: [{ media_id: media.id, alt_text: '"><b>alt</b>' }],
    });
    const link = await linkOf(post);
    const browser = openBrowser();
    const page = await browser.get(link);
    expect(page.text).not.toMatch(/<script|onerror=alert\(1\)>|<b>alt/);
    expect(page.text).toContain('&#60;script&#62;alert(1)');
    const source = /<img\s+src="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const moved = await browser.get(new URL(source, link).href);
    expect(moved.status).toBe(303);
    const image = await fetch(new URL(moved.headers.get('location') ?? '', link));
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    for (const wrong of [
      source.replace(/\d+$/, '7'),
      source.replace(/dlv_\w+/, 'dlv_x'),
      source.replace('/approvals/', '/approvals/x'),
    ])
      expect((await browser.get(new URL(wrong, link).href)).status).toBe(404);
    await press(browser, page, 'approve');
    expect((await browser.get(new URL(source, link).href)).status).toBe(404);
  });

  test('of the page and a key at once, and of two forms at once, one decides', async () => {
    for (let round = 0; round < 5; round++) {
      const post = await requestPost();
      const [browser, link] = [openBrowser(), await linkOf(post)];
      const page = await browser.get(link);
      const [byKey, one, other] = await Promise.all([
        person.post(`/approvals/${approvalOf(post)}/approve`, {}),
        press(browser, page, 'reject', { note: 'No.' }),
        press(browser, page, 'reject', { note: 'No.' }),
      ]);
      const status = await statusOf(post);
      expect(byKey.status === 200).toBe(status === 'approved');
      expect([one, other].filter((sent) => sent.status === 303)).toHaveLength(status === 'rejected' ? 1 : 0);
      const { data } = await world.client.expect(200, 'GET', '/audit', {
        query: { object: approvalOf(post) },
      });
      expect(asObjects(data)).toHaveLength(1);
    }
  });

  test('nothing is published or refunded that was not approved', async () => {
    const before = (await sandbox.ledger('refund.created')).length;
    const refund = await requestRefund();
    const browser = openBrowser();
    const link = await linkOf(refund);
    const page = await browser.get(link);
    await press(browser, page, 'reject', { note: 'No.' });
    await press(browser, page, 'approve');
    expect(await statusOf(refund)).toBe('rejected');
    expect((await sandbox.ledger('refund.created')).length).toBe(before);
  });
});
