import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Switchboard } from '../support/installation.js';
import { asObject, asObjects, asText, type JsonObject } from '../support/json.js';
import { connectMcpStdio, type McpClient } from '../support/mcp-client.js';
import { openOperator, type Operator } from '../support/operator.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { noisyPng } from '../support/sample-media.js';
import { connectAccount, refundableOrders, type SandboxOrder } from '../support/sandbox-store.js';
import { serveSwitchboard } from '../support/serve-switchboard.js';
import { expectHardened } from './expect-hardened.js';
import { openChromium, openVisitor, type Visitor } from './open-visitor.js';

let switchboard: Switchboard;
let operator: Operator;
let browser: Browser;
let admin: RestClient;
let agent: RestClient;
let stdio: McpClient;
let person: RestClient;
let token: string;
let accounts: string[];
let orders: SandboxOrder[];
let me: Visitor;

const approval = {
  posts: 'always',
  refundsOver: [{ currency: 'EUR', amountMinor: 0 }],
  expiresInHours: 24,
} as const;

beforeAll(async () => {
  [switchboard, browser] = await Promise.all([
    serveSwitchboard({ name: 'browser_decisions' }),
    openChromium(),
  ]);
  operator = await openOperator(switchboard);
  admin = restClient(switchboard.url, switchboard.keys.full);
  accounts = [
    await connectAccount(admin, 'sandbox_social', 'maren-holt'),
    await connectAccount(admin, 'sandbox_social', 'tidal-museum'),
  ];
  const store = await connectAccount(admin, 'sandbox_store', 'alder-oak');
  orders = [...(await refundableOrders(admin, store))];
  ({ token } = await operator.createKey({
    scopes: ['posts:write', 'orders:read', 'refunds:write', 'connections:read'],
    policy: { approval },
  }));
  agent = restClient(switchboard.url, token);
  stdio = await connectMcpStdio(switchboard, token);
  person = restClient(switchboard.url, (await operator.createKey({ scopes: ['approvals:write'] })).token);
  const { data } = await admin.expect(200, 'GET', '/profiles');
  await admin.expect(200, 'PATCH', `/profiles/${asText(asObjects(data)[0]?.['id'])}`, {
    body: { name: 'Lumen Coffee', timezone: 'Europe/Madrid' },
  });
}, 240_000);
afterAll(async () => {
  await stdio?.close();
  await operator?.close();
  await browser?.close();
  await switchboard?.stop();
});
beforeEach(async () => {
  me = await openVisitor(browser, switchboard.url);
});
afterEach(async () => {
  const pages = me.responses.filter((answer) => !new URL(answer.url()).pathname.startsWith('/media/'));
  for (const answer of pages) expectHardened(answer.url(), answer.status(), answer.headers());
  expect(pages.length).toBeGreaterThan(0);
  await me.close();
});

let count = 0;
const requestPost = (more: object = {}) =>
  agent.expect(201, 'POST', '/social/posts', {
    body: {
      text: `Open house, number ${++count}: taste the new spring blends with us, from nine to noon.`,
      scheduled_at: '2027-05-04T09:00:00',
      targets: [{ connection_id: accounts[0] }],
      ...more,
    },
  });
const nextOrder = async (): Promise<JsonObject> => {
  const order = orders.shift();
  if (!order) throw new Error('no refundable order is left');
  return admin.expect(200, 'GET', `/ecommerce/orders/${order.id}`);
};
const requestRefund = async (body: object, order?: JsonObject) =>
  agent.expect(201, 'POST', `/ecommerce/orders/${asText((order ?? (await nextOrder()))['id'])}/refund`, {
    body,
  });
async function linkOf(value: JsonObject): Promise<string> {
  const { data } = await person.expect(200, 'GET', '/approvals', { query: { limit: 100 } });
  const found = asObjects(data).find(({ id }) => id === asObject(value['approval'])['id']);
  return asText(found?.['decision_url']);
}
const readPost = ({ id }: JsonObject) => agent.expect(200, 'GET', `/social/posts/${asText(id)}`);
async function uploadImage(width: number, height: number): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(noisyPng(width, height))], { type: 'image/png' }), 'noise.png');
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${switchboard.url}/v1/social/media`, { method: 'POST', headers, body: form });
  return asText(((await response.json()) as JsonObject)['id']);
}

describe('an agent over MCP stdio that waits', () => {
  /** From the press of the button to the agent's response. */
  async function measure(waiting: Promise<{ readonly json: JsonObject; readonly text: string }>) {
    const startMs = Date.now();
    const learned = waiting.then((answer) => ({ ...answer, atMs: Date.now() }));
    await me.press('Approve');
    const { json, text, atMs } = await learned;
    const decidedMs = Date.parse(asText(asObject(json['approval'])['decided_at']));
    const tookMs = atMs - startMs;
    process.stdout.write(
      `the agent has the decision ${tookMs} ms after the press, ${atMs - decidedMs} ms after it was made\n`,
    );
    // A second on an idle machine; without the announcement of the decision it would be the 25 s of the wait.
    expect(tookMs).toBeLessThan(10_000);
    expect(await me.heading()).toBe('Approved');
    return { json, text };
  }

  test('learns of the decision about its post as soon as a person makes it on the page', async () => {
    const created = await stdio.call('create_post', {
      text: 'The agent waits for this one.',
      targets: [{ connection_id: accounts[0] }],
    });
    expect(created.json).toMatchObject({ status: 'awaiting_approval' });
    await me.page.goto(await linkOf(created.json));
    const waiting = stdio.call('get_post', { id: created.json['id'], wait_seconds: 25 });
    const { json } = await measure(waiting);
    expect(json).toMatchObject({
      approval: { status: 'approved', decided_by: 'system:decision_page' },
    });
  });

  test('and about its refund', async () => {
    const order = await nextOrder();
    const quoted = await stdio.call('quote_refund', { order_id: order['id'], amount: '2.00' });
    const refund = await stdio.call('refund_order', { quote_id: quoted.json['id'] });
    expect(refund.json).toMatchObject({ status: 'awaiting_approval' });
    await me.page.goto(await linkOf(refund.json));
    expect(await me.heading()).toBe('Refund EUR 2.00?');
    const waiting = stdio.call('get_refund', { refund_id: refund.json['id'], wait_seconds: 25 });
    const { json } = await measure(waiting);
    expect(json).toMatchObject({ approval: { status: 'approved', decided_by: 'system:decision_page' } });
  });
});

describe('the page of a post', () => {
  test('shows for each account the text with its length, the images, the thread, the options and the times', async () => {
    const [wide, tall] = [await uploadImage(640, 360), await uploadImage(240, 320)];
    const post = await requestPost({
      link: 'https://lumen.example/spring',
      media: [{ media_id: wide, alt_text: 'The counter of the roastery' }, { media_id: tall }],
      targets: [
        { connection_id: accounts[0] },
        {
          connection_id: accounts[1],
          text: 'متجر القهوة: a long_word_without_a_space_that_has_to_wrap_'.repeat(3),
        },
      ],
      thread: [{ text: 'Bring your own cup.' }],
      first_comment: { text: 'Parking is behind the house.' },
    });
    await me.page.goto(await linkOf(post));
    expect(await me.heading()).toBe('Publish this post?');
    const text = await me.page.locator('main').innerText();
    for (const shown of [
      'Lumen Coffee',
      'Maren Holt',
      'Open house, number',
      'https://lumen.example/spring',
      'characters, as Sandbox Social counts them',
      'Description: The counter of the roastery',
      'No description',
      'Bring your own cup.',
      'Parking is behind the house.',
      'May 4, 2027 at 9:00 AM',
      'Europe/Madrid',
    ])
      expect(text).toContain(shown);
    const images = await me.page
      .locator('figure img')
      .evaluateAll((all) => all.map((one) => (one as unknown as { naturalWidth: number }).naturalWidth));
    expect(images).toEqual([640, 240, 640, 240]);
    await me.inspect('decision-post');
    expect(await readPost(post)).toMatchObject({ status: 'awaiting_approval' });
    await me.press('Approve');
    expect(await me.heading()).toBe('Approved');
    await me.inspect('decision-approved');
    expect(await readPost(post)).toMatchObject({ status: 'scheduled' });
    await me.page.goBack();
    expect(await me.heading()).toBe('Approved');
  });

  test('asks for a note to reject it, with the keyboard only', async () => {
    const post = await requestPost();
    await me.page.goto(await linkOf(post));
    const focus = () =>
      me.page.evaluate<string>(`document.activeElement.innerText || document.activeElement.name`);
    const reached: string[] = [];
    for (let presses = 0; presses < 10 && !reached.includes('Reject'); presses++) {
      await me.page.keyboard.press('Tab');
      reached.push(await focus());
    }
    expect(reached).toEqual(['Approve', 'Reject']);
    await me.page.keyboard.press('Enter');
    await me.inspect('decision-reject');
    await me.page.keyboard.press('Tab');
    expect(await focus()).toBe('note');
    await me.page.keyboard.press('Tab');
    // The browser itself requires the note.
    await me.page.keyboard.press('Enter');
    expect(await readPost(post)).toMatchObject({ status: 'awaiting_approval' });
    await me.page.getByLabel('Why do you reject it?').fill(' \n ');
    await me.page.getByRole('button', { name: 'Reject' }).click();
    await me.page.waitForLoadState();
    expect(await me.page.getByRole('alert').innerText()).toMatch(/^Write a note/);
    expect(await me.page.title()).toMatch(/^Error: /);
    await me.inspect('decision-note-missing');
    await me.page.getByLabel('Why do you reject it?').fill('We open at ten.\nAnd name the day.');
    await me.page.getByRole('button', { name: 'Reject' }).click();
    await me.page.waitForLoadState();
    expect(await me.heading()).toBe('Rejected');
    await me.inspect('decision-rejected');
    expect(await readPost(post)).toMatchObject({
      status: 'failed',
      approval: { status: 'rejected', note: 'We open at ten.\nAnd name the day.' },
    });
  });

  test('that was edited while it was open decides nothing', async () => {
    const post = await requestPost();
    await me.page.goto(await linkOf(post));
    await agent.expect(200, 'PATCH', `/social/posts/${asText(post['id'])}`, { body: { text: 'Edited' } });
    await me.press('Approve');
    expect(await me.heading()).toBe('This request has changed');
    await me.inspect('decision-changed');
    expect(await readPost(post)).toMatchObject({ status: 'awaiting_approval' });
  });

  test('cannot be framed or submitted by another site', async () => {
    const post = await requestPost();
    const link = await linkOf(post);
    await me.page.goto(link);
    const [csrf, digest] = [
      await me.page.locator('input[name=csrf]').first().inputValue(),
      await me.page.locator('input[name=digest]').first().inputValue(),
    ];
    const other = await me.context.newPage();
    await other.setContent(
      `<form method="post" action="${link}/approve"><input name="csrf" value="${csrf}">
        <input name="digest" value="${digest}"><button>Win a prize</button></form>`,
    );
    await me.press('Win a prize', other);
    expect(await me.heading(other)).toBe('The form was not accepted');
    expect(await readPost(post)).toMatchObject({ status: 'awaiting_approval' });
  });
});

describe('the page of a refund', () => {
  test('shows its lines, what the customer receives, and what remains of the order', async () => {
    const order = await nextOrder();
    const lines = asObjects(order['line_items']);
    const [line] = lines;
    const refund = await requestRefund(
      {
        line_items: [{ id: asText(line?.['id']), quantity: 1, restock: true }],
        reason: 'damaged',
        note: 'The cup arrived broken.',
      },
      order,
    );
    await me.page.goto(await linkOf(refund));
    const text = await me.page.locator('main').innerText();
    const { amount } = asObject(refund['amount']);
    for (const shown of [
      asText(line?.['title']),
      'back to stock',
      `EUR ${asText(amount)}`,
      'This cannot be undone.',
      'What remains of the order',
      'The cup arrived broken.',
    ])
      expect(text).toContain(shown);
    await me.inspect('decision-refund');
    await me.press('Approve');
    expect(await me.heading()).toBe('Approved');
  });
});

test.each([
  ['de', 'Diesen Beitrag veröffentlichen?', /^EUR 3\.00 erstatten\?$/],
  ['es', '¿Publicar esta publicación?', /^¿Reembolsar EUR 3\.00\?$/],
  ['fr', 'Publier cette publication ?', /^Rembourser EUR 3\.00 ?\?$/],
])('is shown in %s when the browser requests it', async (locale, publish, refundHeading) => {
  const native = await openVisitor(browser, switchboard.url, locale);
  const [post, refund] = [await requestPost(), await requestRefund({ amount: '3.00' })];
  await native.page.goto(await linkOf(post));
  expect([await native.heading(), await native.page.locator('html').getAttribute('lang')]).toEqual([
    publish,
    locale,
  ]);
  await native.inspect(`decision-post-${locale}`);
  await native.page.goto(await linkOf(refund));
  expect(await native.heading()).toMatch(refundHeading);
  await native.inspect(`decision-refund-${locale}`);
  await native.close();
  await me.page.goto(`${switchboard.url}/approvals/unknown`);
  expect(await me.heading()).toBe('This link is not valid');
});
