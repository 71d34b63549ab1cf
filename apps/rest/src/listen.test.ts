import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ConfigurationError } from '@switchboard/bootstrap';
import { listen } from './listen.js';
import { Browser } from './testing/browser.js';

const anywhere = { host: '127.0.0.1', port: 0, tls: null };

test('reports in one line which port is in use', async () => {
  const first = await listen((_, response) => response.end(), anywhere);
  const port = Number(new URL(first.url).port);
  const second = listen((_, response) => response.end(), { ...anywhere, port });
  await expect(second).rejects.toThrow(ConfigurationError);
  await expect(second).rejects.toThrow(new RegExp(`^PORT ${port} is in use: .+[^\\n]$`));
  await first.drain(1000);
});

test('reports in one line an invalid host or certificate', async () => {
  const app = () => undefined;
  await expect(listen(app, { ...anywhere, host: '203.0.113.1' })).rejects.toThrow(/^HOST 203\.0\.113\.1 /);
  const tls = { certFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' };
  await expect(listen(app, { ...anywhere, tls })).rejects.toThrow(/^SWITCHBOARD_TLS_CERT cannot be read/);
});

test('while it drains, lets running requests finish and accepts no new one', async () => {
  let arrived: () => void;
  let finish: () => void;
  const running = new Promise<void>((resolve) => (arrived = resolve));
  const server = await listen((_, response) => {
    finish = () => response.end('done');
    arrived();
  }, anywhere);
  const answer = new Browser().get(server.url);
  await running;
  const drained = server.drain(5000);
  await expect(new Browser().get(server.url)).rejects.toThrow(/ECONNREFUSED/);
  finish!();
  expect((await answer).text).toBe('done');
  await drained;
});

/** A client that reuses its connection. */
function keepAlive(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  const closed = once(socket, 'close');
  let received = '';
  socket.on('data', (text: string) => (received += text));
  return {
    socket,
    closed,
    async request() {
      received = '';
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      while (!received.endsWith('done')) await sleep(5);
      return received;
    },
  };
}
const respond: RequestListener = (_, response) => response.setHeader('content-length', 4).end('done');

test('while it leaves, responds with Connection: close on new connections and on those that were idle', async () => {
  const server = await listen(respond, anywhere);
  const client = keepAlive(server.url);
  expect(await client.request()).toMatch(/^HTTP\/1\.1 200 [^]+Connection: keep-alive/i);
  let leave: () => void;
  const drained = server.drain(60_000, new Promise((resolve) => (leave = resolve)));
  expect(await client.request()).toMatch(/^HTTP\/1\.1 200 [^]+Connection: close/i);
  await client.closed;
  const late = keepAlive(server.url);
  expect(await late.request()).toMatch(/^HTTP\/1\.1 200 [^]+Connection: close/i);
  leave!();
  await Promise.all([drained, late.closed]);
});

test('when it has left, closes idle connections at once and reads what has arrived', async () => {
  const server = await listen(respond, anywhere);
  const [idle, active] = [keepAlive(server.url), keepAlive(server.url)];
  await Promise.all([idle.request(), active.request()]);
  const answer = active.request();
  const startedMs = performance.now();
  await Promise.all([server.drain(600_000), idle.closed, active.closed]);
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  // Of ten minutes, also on a busy machine.
  expect(performance.now() - startedMs).toBeLessThan(60_000);
});

test('when it has left, closes a connection whose response had begun, and one that had no request', async () => {
  let finish: () => void;
  const server = await listen((_, response) => {
    response.setHeader('content-length', 4).write('do');
    finish = () => response.end('ne');
  }, anywhere);
  const [begun, unused] = [keepAlive(server.url), keepAlive(server.url)];
  const answer = begun.request();
  await Promise.all([once(begun.socket, 'data'), once(unused.socket, 'connect')]);
  const drained = server.drain(600_000);
  await unused.closed;
  finish!();
  expect(await answer).toMatch(/done$/);
  await Promise.all([drained, begun.closed]);
});

test('closes connections that do not finish in time', async () => {
  let arrived: () => void;
  const running = new Promise<void>((resolve) => (arrived = resolve));
  const server = await listen(() => arrived(), anywhere);
  const answer = new Browser().get(server.url).catch((error: Error) => error.message);
  await running;
  await server.drain(50);
  expect(await answer).toMatch(/hang up|reset/i);
});
