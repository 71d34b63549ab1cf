import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testDatabase } from '@switchboard/persistence/testing';
import { exposedHeaders } from './server.js';
import { Browser } from './testing/browser.js';
import { startRest, type RunningRest } from './testing/running-rest.js';

const ALLOWED = 'https://app.example.com';
const OTHER = 'https://evil.example';
const preflight = {
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key,traceparent',
};

const corsHeaders = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort();

const send = (
  rest: RunningRest,
  path: string,
  method: string,
  origin: string,
  headers: Readonly<Record<string, string>> = {},
) => fetch(`${rest.url}${path}`, { method, headers: { Origin: origin, Connection: 'close', ...headers } });

describe('with an allowed origin', () => {
  let rest: RunningRest;
  beforeAll(async () => {
    rest = await startRest(await testDatabase('cors'), {
      SWITCHBOARD_CORS_ORIGINS: `${ALLOWED},http://localhost:5173`,
      SWITCHBOARD_OAUTH_REGISTRATION: 'on',
    });
  }, 60_000);
  afterAll(() => rest.close());

  test.each(['/v1/social/posts', '/v1/me', '/oauth/token', '/media/uploads/x'])(
    'answers the preflight of %s without a key',
    async (path) => {
      const response = await send(rest, path, 'OPTIONS', ALLOWED, preflight);
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe(ALLOWED);
      expect(response.headers.get('access-control-allow-methods')).toBe('GET,HEAD,POST,PUT,PATCH,DELETE');
      expect(response.headers.get('access-control-allow-headers')).toBe(
        preflight['Access-Control-Request-Headers'],
      );
      expect(response.headers.get('access-control-max-age')).toBe('600');
      expect(response.headers.get('vary')).toMatch(/\bOrigin\b/);
    },
  );

  test('a page reads responses, errors included, and never with cookies', async () => {
    for (const [authorization, status] of [
      [`Bearer ${rest.key}`, 200],
      ['Bearer swb_wrong', 401],
    ] as const) {
      const response = await send(rest, '/v1/me', 'GET', ALLOWED, { Authorization: authorization });
      expect(response.status).toBe(status);
      expect(response.headers.get('access-control-allow-origin')).toBe(ALLOWED);
      expect(response.headers.get('access-control-expose-headers')).toBe(exposedHeaders.join(','));
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      expect(response.headers.get('vary')).toMatch(/\bOrigin\b/);
    }
  });

  test.each([
    [OTHER],
    ['null'],
    ['http://app.example.com'],
    ['https://app.example.com.evil.example'],
    ['https://app.example.com:8443'],
    ['http://localhost:5174'],
  ])('serves %s no CORS header', async (origin) => {
    const reading = await send(rest, '/v1/me', 'GET', origin, { Authorization: `Bearer ${rest.key}` });
    expect([reading.status, corsHeaders(reading.headers)]).toEqual([200, []]);
    expect(reading.headers.get('vary')).toMatch(/\bOrigin\b/);
    const asking = await send(rest, '/v1/me', 'OPTIONS', origin, preflight);
    expect([asking.status, corsHeaders(asking.headers)]).toEqual([405, []]);
  });

  test.each(['/', '/docs', '/connect/x', '/oauth/authorize', '/oauth/consent/x', '/metrics', '/readyz'])(
    'does not share %s',
    async (path) => {
      const response = await send(rest, path, 'GET', ALLOWED);
      expect(corsHeaders(response.headers)).toEqual([]);
    },
  );

  test('a client in a page reads the outcome of its token request', async () => {
    const response = await send(rest, '/oauth/token', 'POST', ALLOWED, {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('access-control-allow-origin')).toBe(ALLOWED);
  });

  test('a page may read every header that the API document describes', async () => {
    const { text } = await new Browser().get(`${rest.url}/openapi.json`);
    const described = new Set<string>();
    JSON.parse(text, (_key, value: unknown) => {
      const isResponse = typeof value === 'object' && value !== null && 'description' in value;
      if (isResponse && 'headers' in value)
        for (const name of Object.keys(value.headers as object)) described.add(name);
      return value;
    });
    // A page may read this one always.
    described.delete('Content-Type');
    expect(described.size).toBeGreaterThan(5);
    expect([...described].filter((name) => !exposedHeaders.includes(name))).toEqual([]);
  });
});

test('without a configured origin no response has a CORS header', async () => {
  const rest = await startRest(await testDatabase('no_cors'));
  try {
    const reading = await send(rest, '/v1/me', 'GET', ALLOWED, { Authorization: `Bearer ${rest.key}` });
    expect([reading.status, corsHeaders(reading.headers)]).toEqual([200, []]);
    const asking = await send(rest, '/v1/me', 'OPTIONS', ALLOWED, preflight);
    expect([asking.status, corsHeaders(asking.headers)]).toEqual([405, []]);
  } finally {
    await rest.close();
  }
}, 60_000);
