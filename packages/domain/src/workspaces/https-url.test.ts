import { expect, test } from '@jest/globals';
import { isReturnUrl, isHttpsUrl } from './https-url.js';

test.each(['https://acme.example', 'https://acme.example:8443/a/b?c=d', 'https://xn--bcher-kva.example/'])(
  '%j may be shown and be returned to',
  (text) => {
    expect([isHttpsUrl(text), isReturnUrl(text)]).toEqual([true, true]);
  },
);

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  '/back',
  'acme.example/back',
  'http://acme.example/',
  'https://user:pass@acme.example/',
  'https://acme.example/\n',
  'https://acme.example/ x',
  'https:\\\\acme.example',
  'https://*.acme.example/',
  'https://',
  `https://acme.example/${'x'.repeat(2000)}`,
])('%j may neither be shown nor be returned to', (text) => {
  expect([isHttpsUrl(text), isReturnUrl(text)]).toEqual([false, false]);
});

test.each(['http://127.0.0.1:8080/done', 'http://localhost/', 'http://[::1]:3000/done'])(
  'an app on this machine may be returned to without https: %j',
  (text) => {
    expect([isHttpsUrl(text), isReturnUrl(text)]).toEqual([false, true]);
  },
);

test.each(['https://acme.example/#part', 'https://acme.example/#'])(
  '%j may be shown, but nothing can be returned behind a fragment',
  (text) => {
    expect([isHttpsUrl(text), isReturnUrl(text)]).toEqual([true, false]);
  },
);
