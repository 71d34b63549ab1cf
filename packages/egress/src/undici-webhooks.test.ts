import { afterEach, describe, expect, test } from '@jest/globals';
import { formatId, Secret } from '@switchboard/domain';
import type { WebhookMessage } from '@switchboard/domain/ports';
import { Webhook } from 'standardwebhooks';
import { hostileResolver, privateUrls } from './testing.js';
import { serveHttp, serveRaw, type RequestHandler, type TestServer } from './testing/servers.js';
import { undiciWebhooks } from './undici-webhooks.js';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});
const closeLater = <Item extends { close(): Promise<void> }>(item: Item): Item => {
  closing.push(item);
  return item;
};
const serve = async (answer: RequestHandler): Promise<TestServer> => closeLater(await serveHttp(answer));
const openClient = (deadlineMs?: number, allowPrivateHosts = ['127.0.0.1']) =>
  closeLater(
    undiciWebhooks({
      allowPrivateHosts,
      userAgent: 'Switchboard/test',
      deadlineMs,
      resolve: hostileResolver,
    }),
  );

const current = new Secret(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
const replaced = new Secret(`whsec_${Buffer.alloc(32, 2).toString('base64')}`);
const other = new Secret(`whsec_${Buffer.alloc(32, 3).toString('base64')}`);
const random = new Uint8Array(10);
const message = (url: string, over: Partial<WebhookMessage> = {}): WebhookMessage => ({
  url,
  pool: formatId('whk', 0, random),
  id: formatId('evt', Date.now(), random),
  timestamp: new Date(),
  traceparent: null,
  body: '{"type":"post.published","data":{"text":"Größe 👍"}}',
  secrets: [current],
  signal: new AbortController().signal,
  ...over,
});

describe('a receiver with the published library (N54)', () => {
  /** What the receiver got. */
  async function receive(over: Partial<WebhookMessage> = {}) {
    const received: { headers: Record<string, string>; body: string }[] = [];
    const server = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
      received.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(204).end();
    });
    expect(await openClient().send(message(server.url, over))).toMatchObject({
      kind: 'answered',
      status: 204,
    });
    const [first] = received;
    if (!first) throw new Error('nothing was received');
    return first;
  }
  const verify = (secret: Secret, { headers, body }: Awaited<ReturnType<typeof receive>>) =>
    new Webhook(secret.reveal()).verify(body, headers);

  test('accepts the exact body with the secret', async () => {
    const received = await receive();
    expect(verify(current, received)).toEqual({ type: 'post.published', data: { text: 'Größe 👍' } });
    expect(received.headers['content-type']).toBe('application/json');
    expect(received.headers).not.toHaveProperty('authorization');
  });

  test('accepts both secrets during a rotation, and only the new one after it', async () => {
    const during = await receive({ secrets: [current, replaced] });
    expect(verify(current, during)).toEqual(verify(replaced, during));
    const after = await receive();
    expect(() => verify(replaced, after)).toThrow('No matching signature');
  });

  test('refuses an altered body, id and timestamp, an id with a dot, and another secret', async () => {
    const received = await receive();
    const { headers, body } = received;
    const altered = [
      { headers, body: body.replace('published', 'failed') },
      { headers: { ...headers, 'webhook-id': `${headers['webhook-id']}x` }, body },
      {
        headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
        body,
      },
      // The timestamp moves into the id, with the same signed text.
      {
        headers: {
          ...headers,
          'webhook-id': `${headers['webhook-id']}.${headers['webhook-timestamp']}`,
          'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        },
        body,
      },
    ];
    for (const one of altered) expect(() => verify(current, one)).toThrow('No matching signature');
    expect(() => verify(other, received)).toThrow('No matching signature');
  });

  test('refuses a message that is sent again later', async () => {
    const received = await receive({ timestamp: new Date(Date.now() - 600_000) });
    expect(() => verify(current, received)).toThrow('too old');
  });
});

describe('an endpoint that misbehaves (N55)', () => {
  test('and does not respond fails at the deadline', async () => {
    const server = await serve(() => undefined);
    expect(await openClient(200).send(message(server.url))).toMatchObject({
      kind: 'failed',
      error: 'timeout',
    });
  });

  test('and drips its response fails at the deadline', async () => {
    const server = await serve((request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 10);
      request.socket.on('close', () => clearInterval(drip));
    });
    expect(await openClient(300).send(message(server.url))).toMatchObject({
      kind: 'failed',
      error: 'timeout',
    });
  });

  test('and answers 10 GB is read for a kilobyte, and its status counts', async () => {
    let isClosed = false;
    const server = await serve((request, response) => {
      response.writeHead(200, { 'content-length': String(10 * 1024 ** 3) });
      const block = Buffer.alloc(65_536, 'x');
      const write = (): void => {
        if (request.socket.destroyed) return;
        if (response.write(block)) setImmediate(write);
        else response.once('drain', write);
      };
      request.socket.on('close', () => (isClosed = true));
      write();
    });
    const response = await openClient().send(message(server.url));
    expect(response).toMatchObject({ kind: 'answered', status: 200, head: 'x'.repeat(1024) });
    while (!isClosed) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('and resets the connection, or sends no HTTP, fails', async () => {
    const reset = closeLater(await serveRaw((socket) => socket.resetAndDestroy()));
    const garbage = closeLater(await serveRaw((socket) => socket.end('HELLO\r\n\r\n')));
    const client = openClient();
    expect(await client.send(message(reset.url))).toMatchObject({ kind: 'failed', error: 'reset' });
    expect(await client.send(message(garbage.url))).toMatchObject({
      kind: 'failed',
      error: 'invalid_response',
    });
  });

  test('and redirects to a loopback address is not followed', async () => {
    const inside = await serve((_, response) => response.end());
    const server = await serve((_, response) => response.writeHead(302, { location: inside.url }).end());
    expect(await openClient().send(message(server.url))).toMatchObject({ kind: 'answered', status: 302 });
    expect(inside.connections()).toBe(0);
  });

  test('and reflects markup and control characters has them escaped', async () => {
    const server = await serve((_, response) =>
      response.writeHead(500).end(Buffer.from([...Buffer.from('<b a="x">\u001b[31m\0é'), 0xff])),
    );
    expect(await openClient().send(message(server.url))).toMatchObject({
      status: 500,
      head: '&lt;b a=&quot;x&quot;&gt;\\u001b[31m\\u0000é\ufffd',
    });
  });
});

test('Retry-After is returned as it was sent', async () => {
  const server = await serve((_, response) => response.writeHead(429, { 'retry-after': '120' }).end());
  expect(await openClient().send(message(server.url))).toMatchObject({ status: 429, retryAfter: '120' });
});

test('no spelling of a private address is accepted or reached', async () => {
  const inside = await serve((_, response) => response.end());
  const client = openClient(2000, []);
  const urls = privateUrls(inside.port);
  expect(urls.length).toBeGreaterThan(300);
  for (const url of urls) {
    expect([url, await client.checkUrl(url)]).not.toEqual([url, null]);
    expect([url, await client.send(message(url))]).toMatchObject([url, { kind: 'failed' }]);
  }
  expect(inside.connections()).toBe(0);
});

test('a message that is interrupted is reported as such', async () => {
  const server = await serve(() => undefined);
  const stop = new AbortController();
  const sending = openClient().send(message(server.url, { signal: stop.signal }));
  while (server.connections() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  expect(await sending).toMatchObject({ kind: 'failed', error: 'aborted' });
});
