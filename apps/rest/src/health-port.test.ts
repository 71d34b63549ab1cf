import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort, testDatabase } from '@switchboard/persistence/testing';
import { Browser } from './testing/browser.js';
import { startRest, type RunningRest } from './testing/running-rest.js';

const TOKEN = 'a-token-for-the-metrics';
let worker: RunningRest;
let port: number;

beforeAll(async () => {
  port = await freePort();
  worker = await startRest(await testDatabase('health_port'), {
    SWITCHBOARD_ROLES: 'worker',
    SWITCHBOARD_HEALTH_PORT: String(port),
    SWITCHBOARD_METRICS_TOKEN: TOKEN,
  });
}, 60_000);
afterAll(() => worker?.close());

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  new Browser().get(`http://127.0.0.1:${port}${path}`, headers);

test('a worker without HTTP responds to health checks', async () => {
  expect(worker.url).toBe('');
  expect(JSON.parse((await get('/healthz')).text)).toEqual({
    status: 'ok',
    instance: worker.service.instanceId,
  });
  const ready = await get('/readyz');
  expect([ready.status, JSON.parse(ready.text)]).toMatchObject([200, { ready: true }]);
});

test('a worker without HTTP shows its metrics on loopback, or with the token', async () => {
  expect((await get('/metrics')).text).toContain('switchboard_delivery_oldest_due_seconds 0');
  const forwarded = { 'x-forwarded-for': '203.0.113.9' };
  expect((await get('/metrics', forwarded)).status).toBe(404);
  expect(
    (await get('/metrics', { ...forwarded, authorization: 'Bearer wrong-token-of-that-kind' })).status,
  ).toBe(404);
  expect((await get('/metrics', { ...forwarded, authorization: `Bearer ${TOKEN}` })).status).toBe(200);
});

test('nothing else is served there', async () => {
  for (const path of ['/', '/v1/me', '/docs', '/openapi.json']) expect((await get(path)).status).toBe(404);
  const response = await new Browser().post(`http://127.0.0.1:${port}/healthz`, {});
  expect([response.status, response.headers['allow']]).toEqual([405, 'GET, HEAD']);
});

test('a port that is in use ends the start with one line that names the variable', async () => {
  const second = startRest(await testDatabase('health_port_again'), {
    SWITCHBOARD_HEALTH_PORT: String(port),
  });
  await expect(second).rejects.toThrow(
    new RegExp(`^SWITCHBOARD_HEALTH_PORT ${port} cannot be used: EADDRINUSE$`),
  );
}, 60_000);
