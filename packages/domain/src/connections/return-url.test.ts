import { expect, test } from '@jest/globals';
import { allowedReturnUrls as allowed, hostileReturnUrls } from '../../testing/hostile-return-urls.js';
import { allowsReturnUrl } from './return-url.js';

const production = { production: true };

test('only listed URLs are allowed, in any equivalent notation', () => {
  expect(hostileReturnUrls.length).toBeGreaterThan(200);
  for (const value of hostileReturnUrls)
    expect([value, allowsReturnUrl(value, allowed, production)]).toEqual([value, false]);
  for (const value of [...allowed, 'https://other.example/'])
    expect([value, allowsReturnUrl(value, allowed, production)]).toEqual([value, true]);
});

test('in development loopback URLs are allowed, but no look-alikes', () => {
  const allows = (value: string) => allowsReturnUrl(value, [], { production: false });
  for (const value of ['http://127.0.0.1:3000/done', 'http://localhost/done', 'http://[::1]:9/x?y=1'])
    expect([value, allows(value)]).toEqual([value, true]);
  for (const value of [
    'http://localhost.evil.example/',
    'http://localhost@evil.example/',
    'http:127.0.0.1/done',
    'http://0x7f.1/',
    'http://2130706433/',
    'ftp://127.0.0.1/',
  ])
    expect([value, allows(value)]).toEqual([value, false]);
});
