import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allowedReturnUrls, hostileReturnUrls } from '@switchboard/domain/testing';
import { connectSandbox } from './support/connect-sandbox.js';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText } from './support/json.js';
import { openOperator } from './support/operator.js';
import { sendRaw } from './support/raw-http.js';
import { restClient, type RestResponse, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

let switchboard: Switchboard;
let api: RestClient;
let social: string;
let store: string;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'attack' });
  api = restClient(switchboard.url, switchboard.keys.full);
  social = await connect('sandbox_social', 'maren-holt');
  store = await connect('sandbox_store', 'alder-oak');
});
afterAll(() => switchboard?.stop());

async function connect(platform: string, account: string): Promise<string> {
  const { url, id } = await api.expect(201, 'POST', '/connect/url', { body: { platform } });
  await connectSandbox(asText(url), { account });
  const session = await api.expect(200, 'GET', `/connect/sessions/${asText(id)}`);
  const [connectionId] = session['connection_ids'] as string[];
  return asText(connectionId);
}

/** The ID of an order that the store can refund online. */
async function refundable(which: number): Promise<string> {
  const { json } = await api.get('/ecommerce/orders?payment_status=paid&limit=50');
  const online = asObjects(json['data']).filter(({ payments }) =>
    asObjects(payments).every((payment) => payment['refundable_online'] === true),
  );
  return asText(online[which]?.['id']);
}

const later = '2027-05-04T09:00:00Z';
const summarize = ({ status, json }: RestResponse) => ({
  status,
  code: json['code'],
  errors: ((json['errors'] ?? []) as { path: string; code: string }[]).map(
    ({ path, code }) => `${path} ${code}`,
  ),
});

describe('a text that the database cannot store', () => {
  const posted = (body: string) => api.post('/social/posts', body, { 'content-type': 'application/json' });

  test.each([
    ['a NUL in a text', '{"text":"a\\u0000b"}', 'text field.invalid'],
    ['half a surrogate pair', '{"text":"a \\ud800"}', 'text field.invalid'],
    ['a NUL in a value of metadata', '{"text":"a","metadata":{"b":"\\u0000"}}', 'metadata.b field.invalid'],
    ['a NUL in a key of metadata', '{"text":"a","metadata":{"b\\u0000":"c"}}', 'metadata field.invalid'],
  ])('is rejected with the path of the field: %s', async (_what, body, error) => {
    expect(summarize(await posted(body))).toEqual({ status: 400, code: 'request.invalid', errors: [error] });
  });

  test.each([
    '/social/posts?external_id=%00',
    '/connections?external_id=a%00',
    '/ecommerce/orders?number=%00',
  ])('is rejected in a filter: %s', async (path) => {
    expect(await api.get(path)).toMatchObject({ status: 400, json: { code: 'request.invalid' } });
  });

  test('is an invalid ID, like every other malformed ID', async () => {
    for (const path of ['/social/posts/%00', '/connections/a%00', `/profiles/${'x'.repeat(2000)}`]) {
      expect((await api.get(path)).status).toBe(404);
    }
  });
});

describe('the error code of a field', () => {
  test('distinguishes an invalid field from a missing field', async () => {
    const wrong = await api.post('/social/posts/validate', { text: 5, metadata: [1] });
    expect(summarize(wrong).errors).toEqual(['text field.invalid_type', 'metadata field.invalid_type']);
    const missing = await api.post('/profiles', {});
    expect(summarize(missing).errors).toEqual(['name field.required']);
    const query = await api.get('/social/posts?limit=many');
    expect(summarize(query).errors).toEqual(['limit field.invalid_type']);
  });

  test('lists the forms that a field accepts', async () => {
    const targets = await api.post('/social/posts/validate', { text: 'a', targets: 'everywhere' });
    expect(targets.json['detail']).toMatch(/^targets: "all", or a list/);
    const amount = await api.post('/ecommerce/orders/ord_x/refund/quote', { amount: 5 });
    expect(amount.json['detail']).toMatch(/^amount: a decimal number as text/);
  });

  test('an empty list is rejected as a filter', async () => {
    for (const path of ['/social/posts', '/connections', '/ecommerce/orders', '/ecommerce/refunds']) {
      expect(summarize(await api.get(`${path}?status=`))).toMatchObject({
        status: 400,
        code: 'request.invalid',
      });
    }
  });

  test('a JSON body that is not an object is not reported as malformed JSON', async () => {
    for (const body of ['null', '"a"', '5', '[]']) {
      const answer = await api.post('/social/posts', body, { 'content-type': 'application/json' });
      expect(answer.json['code']).toBe('request.invalid');
    }
  });

  test('bytes that are not UTF-8 are rejected, not replaced', async () => {
    const answer = await fetch(new URL('/v1/social/posts/validate', switchboard.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${switchboard.keys.full}`,
        'content-type': 'application/json',
      },
      body: Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    });
    expect(await answer.json()).toMatchObject({ status: 400, code: 'request.malformed_json' });
  });

  test.each([
    ['{"text":"a","text":"b"}', 'text'],
    ['{"text":"a","\\u0074ext":"b"}', 'text'],
    [
      '{"text":"a","targets":[{"platform":"sandbox_social","options":{"topic":"x","topic":"y"}}]}',
      'targets.0.options.topic',
    ],
  ])('a key that %s contains twice is rejected with its path (finding 13)', async (body, path) => {
    const answer = await api.post('/social/posts', body, { 'content-type': 'application/json' });
    expect(summarize(answer)).toEqual({
      status: 400,
      code: 'request.invalid',
      errors: [`${path} field.duplicate`],
    });
    expect(answer.json['detail']).toBe(`${path} appears more than once in its object. Send each key once.`);
  });

  test('body fields are not read from the URL', async () => {
    const answer = await api.post('/social/posts/validate?text=other', { text: 'a' });
    expect(summarize(answer)).toEqual({
      status: 400,
      code: 'request.invalid',
      errors: ['text field.unknown'],
    });
  });
});

describe('a platform as a filter', () => {
  test.each(['/social/posts', '/connections', '/ecommerce/orders', '/social/analytics'])(
    'is a list on %s, and an unknown platform is rejected as not found',
    async (path) => {
      const several = await api.get(`${path}?platform=sandbox_social,sandbox_store`);
      expect(several.status).toBe(200);
      const missing = await api.get(`${path}?platform=sandbox_social,nope`);
      expect(missing).toMatchObject({ status: 404, json: { code: 'platform.not_found' } });
    },
  );
});

describe('targets of a post', () => {
  const validate = (target: object) => api.post('/social/posts/validate', { text: 'a', targets: [target] });

  test('an unknown platform is not reported as an unknown connection', async () => {
    expect(await validate({ platform: 'nope' })).toMatchObject({
      status: 404,
      json: { code: 'platform.not_found' },
    });
  });

  test('a platform without a connection names the call that connects one', async () => {
    expect(await validate({ platform: 'bluesky' })).toMatchObject({
      status: 422,
      json: {
        code: 'post.no_targets',
        next: { operation: 'startConnect', arguments: { platform: 'bluesky' } },
      },
    });
  });

  test('a connected store is not reported as missing', async () => {
    const { json } = await validate({ connection_id: store });
    expect(json).toMatchObject({ valid: false, targets: [{ problems: [{ code: 'platform.unsupported' }] }] });
  });
});

describe('If-Match', () => {
  test('prevents a client with an outdated version from cancelling or deleting', async () => {
    const post = await api.post('/social/posts', { text: 'if-match', scheduled_at: later });
    const cancel = `/social/posts/${asText(post.json['id'])}/cancel`;
    expect((await api.post(cancel, {}, { 'if-match': '"99"' })).status).toBe(412);
    expect((await api.post(cancel, {}, { 'if-match': post.headers.get('etag') ?? '' })).status).toBe(200);

    const profile = await api.post('/profiles', { name: 'If-Match' });
    const path = `/profiles/${asText(profile.json['id'])}`;
    expect((await api.sendRequest('DELETE', path, { headers: { 'if-match': '"99"' } })).status).toBe(412);
    expect((await api.sendRequest('DELETE', path, { headers: { 'if-match': '"1"' } })).status).toBe(204);

    const connection = `/connections/${social}`;
    expect((await api.sendRequest('DELETE', connection, { headers: { 'if-match': '"99"' } })).status).toBe(
      412,
    );
    expect((await api.get(connection)).status).toBe(200);
  });
});

describe('the capabilities of a platform', () => {
  test('use the terms of the API and are found at the documented URL', async () => {
    const { json } = await api.get('/platforms/sandbox_store');
    const { orders } = asObject(json['capabilities']);
    const { parameters } = await listed();
    for (const name of asObject(orders)['store_filters'] as string[]) expect(parameters).toContain(name);
    expect(json['docs_url']).toBe(`${switchboard.sandboxUrl}/`);
  });

  async function listed() {
    const document = (await (await fetch(new URL('/openapi.json', switchboard.url))).json()) as object;
    const paths = asObject(asObject(document)['paths']);
    const { parameters } = asObject(asObject(paths['/v1/ecommerce/orders'])['get']);
    const shared = asObject(asObject(asObject(document)['components'])['parameters']);
    const resolve = ({ $ref, ...own }: Record<string, unknown>) =>
      typeof $ref === 'string' ? asObject(shared[$ref.replace(/^.*\//, '')]) : own;
    return { parameters: asObjects(parameters).map((one) => asText(resolve(one)['name'])) };
  }
});

describe('a connect link', () => {
  test('for reconnecting accepts no different platform or profile', async () => {
    const other = await api.post('/profiles', { name: 'Other' });
    for (const body of [
      { connection_id: social, platform: 'bluesky' },
      { connection_id: social, profile_id: asText(other.json['id']) },
      { platform: 'bluesky', platforms: ['sandbox_social'] },
    ]) {
      expect(await api.post('/connect/url', body)).toMatchObject({
        status: 400,
        json: { code: 'request.invalid' },
      });
    }
    await api.sendRequest('DELETE', `/profiles/${asText(other.json['id'])}`);
  });
});

test('N27: a link redirects only to URLs on the workspace’s allow-list, in any spelling', async () => {
  await api.expect(200, 'PATCH', '/workspace', { body: { return_urls: allowedReturnUrls } });
  const sendRequest = (url: string) =>
    api.post('/connect/url', { platform: 'sandbox_social', return_url: url });
  for (const url of allowedReturnUrls) expect([url, (await sendRequest(url)).status]).toEqual([url, 201]);
  // Development mode allows loopback addresses.
  const elsewhere = hostileReturnUrls.filter(
    (url) => !/^https?:\/\/(\[::1\]|127\.0\.0\.1|localhost)\//.test(url),
  );
  expect(elsewhere.length).toBeGreaterThan(200);
  for (const url of elsewhere) {
    const { status, json } = await sendRequest(url);
    const refused = [
      [422, 'connect.return_url_not_allowed'],
      [400, 'request.invalid'],
    ];
    expect([url, refused]).toEqual([url, expect.arrayContaining([[status, json['code']]])]);
  }
});

describe('a refund of more units than remain', () => {
  test('names the line item', async () => {
    const { json } = await api.get('/ecommerce/orders?payment_status=paid&limit=1');
    const [order] = asObjects(json['data']);
    const [line] = asObjects(order?.['line_items']);
    const answer = await api.post(`/ecommerce/orders/${asText(order?.['id'])}/refund/quote`, {
      line_items: [{ id: asText(line?.['id']), quantity: Number(line?.['refundable_quantity']) + 1 }],
    });
    expect(summarize(answer)).toEqual({
      status: 422,
      code: 'refund.exceeds_refundable',
      errors: ['line_items.0.quantity exceeds_refundable'],
    });
  });
});

describe('a store that returns Retry-After', () => {
  test('is not called until then, and the error contains the time to retry', async () => {
    const sandbox = sandboxControl(switchboard.sandboxUrl);
    const order = await refundable(0);
    await sandbox.fault({ platform: 'store', kind: '429', retry_after: 5, match: { method: 'POST' } });
    const refund = await api.post(`/ecommerce/orders/${order}/refund`, { amount: '1' });
    expect(refund).toMatchObject({ status: 503, json: { code: 'platform.rate_limited' } });
    expect(refund.headers.get('retry-after')).toBe('5');
    expect(refund.json['retry_after_seconds']).toBe(5);

    const asked = async () =>
      (await sandbox.requests()).filter(({ platform }) => platform === 'store').length;
    const before = await asked();
    const list = await api.get('/ecommerce/orders');
    expect(list).toMatchObject({ status: 502, json: { code: 'orders.all_sources_failed' } });
    expect(Number(list.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await asked()).toBe(before);
    await eventually('the store is asked again', async () =>
      (await api.get('/ecommerce/orders')).status === 200 ? true : null,
    );
  });
});

describe('a refund with unknown outcome', () => {
  test('names the call that looks it up', async () => {
    const sandbox = sandboxControl(switchboard.sandboxUrl);
    const order = await refundable(1);
    await sandbox.fault({ platform: 'store', kind: 'reset-before-effect', match: { method: 'POST' } });
    const { json: refund } = await api.post(`/ecommerce/orders/${order}/refund`, { amount: '1' });
    expect(refund['status']).toBe('unknown');
    const second = await api.post(`/ecommerce/orders/${order}/refund`, { amount: '2' });
    expect(second).toMatchObject({
      status: 409,
      json: {
        code: 'refund.in_doubt',
        next: { operation: 'recheckRefund', arguments: { refund_id: refund['id'] } },
      },
    });
    await sandbox.clearFaults();
  });
});

describe('a quote', () => {
  test('that its key cannot redeem states this in the response', async () => {
    const operator = await openOperator(switchboard);
    const reader = await operator.createKey({ scopes: ['orders:read'] });
    const bounded = await operator.createKey({
      scopes: ['orders:read', 'refunds:write'],
      policy: { refundCeilings: [{ currency: 'EUR', perRefundMinor: 100, perDayMinor: 100 }] },
    });
    await operator.close();
    const { json } = await api.get('/ecommerce/orders?payment_status=paid&currency=EUR&limit=50');
    const order = asObjects(json['data']).find(
      ({ payments, totals }) =>
        asObjects(payments).every((payment) => payment['refundable_online'] === true) &&
        Number(asObject(asObject(totals)['refundable'])['amount']) > 10,
    );
    const quote = async (key: string, amount: string) => {
      const path = `/ecommerce/orders/${asText(order?.['id'])}/refund/quote`;
      const answer = await restClient(switchboard.url, key).post(path, { amount });
      return asText((answer.json['consequences'] as string[])[0]);
    };
    expect(await quote(reader.token, '1.00')).toMatch(/^This key lacks/);
    expect(await quote(bounded.token, '1.01')).toMatch(/^This key lacks/);
    expect(await quote(bounded.token, '1.00')).toMatch(/returns 1\.00 EUR to the customer/);
  });
});

describe('an account connected in two profiles', () => {
  test('contributes its followers once to the totals and once to its platform', async () => {
    const followers = async () => {
      const { json } = await api.get('/social/analytics?metrics=followers');
      const [group] = asObjects(json['groups']);
      return [asObject(json['totals'])['followers'], asObject(group?.['metrics'])['followers']];
    };
    const before = await followers();
    expect(before[0]).toBeGreaterThan(0);
    const profile = await api.post('/profiles', { name: 'Twice' });
    const body = { platform: 'sandbox_social', profile_id: asText(profile.json['id']) };
    const { url } = await api.expect(201, 'POST', '/connect/url', { body });
    await connectSandbox(asText(url), { account: 'maren-holt' });
    expect(await followers()).toEqual(before);
  });
});

test('two Host headers are rejected, even when they are equal (finding 13)', async () => {
  const { host } = new URL(switchboard.url);
  for (const other of ['evil.example', host]) {
    const bytes = `GET /v1/me HTTP/1.1\r\nHost: ${host}\r\nHost: ${other}\r\nAuthorization: Bearer ${switchboard.keys.full}\r\n\r\n`;
    const { status, text: answer } = await sendRaw(switchboard.url, bytes);
    expect(status).toBe(400);
    expect(answer).toContain('Send one `Host` header.');
  }
});

test('two Authorization headers are rejected, even when they are equal (finding 13)', async () => {
  const authorization = `Authorization: Bearer ${switchboard.keys.full}`;
  for (const other of [authorization, 'authorization: Bearer swb_other']) {
    const bytes = `GET /v1/me HTTP/1.1\r\nHost: ${new URL(switchboard.url).host}\r\n${authorization}\r\n${other}\r\n\r\n`;
    expect(await sendRaw(switchboard.url, bytes)).toMatchObject({ status: 401 });
  }
});

describe('bytes that do not form a valid request', () => {
  test.each([
    ['not HTTP', 'GARBAGE\r\n\r\n'],
    ['a URL that is too long', `GET /v1/me?x=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    [
      'two Content-Length headers',
      'POST /v1/profiles HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    ],
  ])('receive a problem response like every other failure: %s', async (_what, bytes) => {
    const { status, text: answer } = await sendRaw(switchboard.url, bytes);
    expect(status).toBe(400);
    expect(answer).toMatch(/\r\nX-Request-Id: req_\w+\r\n/);
    expect(answer).toMatch(/\r\nContent-Type: application\/problem\+json/);
    const problem: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    expect(problem).toMatchObject({ status: 400, code: 'request.invalid', effect: 'none' });
  });
});
