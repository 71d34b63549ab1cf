import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { undiciOutbound } from '@switchboard/egress';
import { createTokenEndpointCaller, classifyTokenError, readTokenError } from './oauth2-client.js';

interface Debug {
  enable(namespaces: string): void;
  enabled(namespace: string): boolean;
}

test('DEBUG=* enables all debug output except that of the library that would print tokens', async () => {
  const require = createRequire(import.meta.url);
  const debug = createRequire(require.resolve('simple-oauth2'))('debug') as Debug;
  debug.enable('*');
  expect(debug.enabled('simple-oauth2:client')).toBe(true);
  await import('./oauth2-client.js').then(({ silenceOAuthDebug }) => silenceOAuthDebug());
  expect(debug.enabled('simple-oauth2:client')).toBe(false);
  expect(debug.enabled('simple-oauth2:request-options')).toBe(false);
  expect(debug.enabled('express:router')).toBe(true);
});

test('DEBUG without a value enables no debug output', async () => {
  const require = createRequire(import.meta.url);
  const debug = createRequire(require.resolve('simple-oauth2'))('debug') as Debug;
  debug.enable('');
  await import('./oauth2-client.js').then(({ silenceOAuthDebug }) => silenceOAuthDebug());
  expect(debug.enabled('simple-oauth2:client')).toBe(false);
  expect(debug.enabled('express:router')).toBe(false);
});

test.each([
  [null],
  [undefined],
  ['text'],
  [new Error('x')],
  [{ data: null }],
  [{ data: { payload: { error: 'x' } } }],
])('an error without a readable code (%p) is not a response', (error) => {
  expect(readTokenError(error)).toEqual({ kind: 'no_answer' });
});

const refusal = (statusCode: number, payload: unknown, headers = {}) => ({
  data: { isResponseError: true, payload, res: { statusCode, headers } },
});

test.each([
  [{ error: 'invalid_grant' }, 'ended'],
  [{ error: 'invalid_request' }, 'ended'],
  [{ error: 'invalid_client' }, 'app'],
  [{ error: 'unauthorized_client' }, 'app'],
  [{ message: 'Not Authorized', type: 'service.not_authorized' }, 'app'],
  [{ errors: [{ category: 'AUTHENTICATION_ERROR', code: 'ACCESS_TOKEN_REVOKED' }] }, 'ended'],
  [{ error: 'invalid_scope' }, null],
  [{ errors: [null] }, null],
  [{ errors: 'text' }, null],
  [{ error: { a: 1 } }, null],
  ['text', null],
  [null, null],
])('the rejection %j is classified as %p', (payload, meaning) => {
  const errors = { ended: ['invalid_request', 'ACCESS_TOKEN_REVOKED'], app: ['service.not_authorized'] };
  expect(classifyTokenError(readTokenError(refusal(400, payload)), errors)).toBe(meaning);
  // A server error does not concern the login, regardless of its body.
  expect(classifyTokenError(readTokenError(refusal(503, payload)), errors)).toBeNull();
});

test('an error that the platform marks as transient does not concern the app, although its number does', () => {
  const said = (more: object) => refusal(400, { error: { message: 'An error', code: 1, ...more } });
  const errors = { ended: ['190'], app: ['1'] };
  expect(classifyTokenError(readTokenError(said({ is_transient: true })), errors)).toBeNull();
  expect(classifyTokenError(readTokenError(said({ is_transient: false })), errors)).toBe('app');
  expect(classifyTokenError(readTokenError(said({})), errors)).toBe('app');
});

test('a repeatedly failing token endpoint opens its circuit, and others are not affected', async () => {
  const outbound = undiciOutbound({ allowPrivateHosts: [], userAgent: 'test' });
  let client = 0;
  // The library throws an error with `data`.
  const failTimes = (error: object) => () => {
    client += 1;
    return Promise.reject(Object.assign(new Error('the library’s'), error));
  };
  const ask = createTokenEndpointCaller(outbound, 'acme', 'https://login.acme.example/below');
  for (let time = 0; time < 20; time += 1) await ask(failTimes(refusal(400, { error: 'invalid_grant' })));
  for (const error of [refusal(500, {}), new Error('reset'), refusal(502, {}), refusal(503, {})])
    await ask(failTimes(error));
  expect(await ask(failTimes(refusal(500, {})))).toMatchObject({ kind: 'refused', status: 500 });
  expect(await ask(failTimes(refusal(500, {})))).toEqual({ kind: 'not_sent', retryAfterSeconds: 10 });
  expect(client).toBe(25);
  const other = createTokenEndpointCaller(outbound, 'acme', 'https://login.other.example');
  expect(await other(() => Promise.resolve('token'))).toEqual({ kind: 'answered', answer: 'token' });
  await outbound.close();
});
