import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { readTokenError } from './oauth2-client.js';

interface Debug {
  enable(namespaces: string): void;
  enabled(namespace: string): boolean;
}

test('DEBUG=* makes everybody talk but the library that would print tokens', async () => {
  const require = createRequire(import.meta.url);
  const debug = createRequire(require.resolve('simple-oauth2'))('debug') as Debug;
  debug.enable('*');
  expect(debug.enabled('simple-oauth2:client')).toBe(true);
  await import('./oauth2-client.js').then(({ silence }) => silence());
  expect(debug.enabled('simple-oauth2:client')).toBe(false);
  expect(debug.enabled('simple-oauth2:request-options')).toBe(false);
  expect(debug.enabled('express:router')).toBe(true);
});

test('DEBUG without a value makes nobody talk', async () => {
  const require = createRequire(import.meta.url);
  const debug = createRequire(require.resolve('simple-oauth2'))('debug') as Debug;
  debug.enable('');
  await import('./oauth2-client.js').then(({ silence }) => silence());
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
])('an error that says nothing (%p) is no answer', (error) => {
  expect(readTokenError(error)).toEqual({ kind: 'no_answer' });
});
