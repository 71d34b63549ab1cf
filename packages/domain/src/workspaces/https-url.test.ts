import { expect, test } from '@jest/globals';
import { isReturnUrl, isHttpsUrl } from './https-url.js';

test.each(['https://acme.example', 'https://acme.example:8443/a/b?c=d', 'https://xn--bcher-kva.example/'])(
  '%j is a valid display URL and return URL',
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
])('%j is neither a valid display URL nor a valid return URL', (text) => {
  expect([isHttpsUrl(text), isReturnUrl(text)]).toEqual([false, false]);
});

test.each(['http://127.0.0.1:8080/done', 'http://localhost/', 'http://[::1]:3000/done'])(
  'a loopback app may be a return URL without https: %j',
  (text) => {
    expect([isHttpsUrl(text), isReturnUrl(text)]).toEqual([false, true]);
  },
);

test.each(['https://acme.example/#part', 'https://acme.example/#'])(
  '%j is a valid display URL, but a return URL must not have a fragment',
  (text) => {
    expect([isHttpsUrl(text), isReturnUrl(text)]).toEqual([true, false]);
  },
);
