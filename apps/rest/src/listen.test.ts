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

test('closes connections that do not finish in time', async () => {
  let arrived: () => void;
  const running = new Promise<void>((resolve) => (arrived = resolve));
  const server = await listen(() => arrived(), anywhere);
  const answer = new Browser().get(server.url).catch((error: Error) => error.message);
  await running;
  await server.drain(50);
  expect(await answer).toMatch(/hang up|reset/i);
});
