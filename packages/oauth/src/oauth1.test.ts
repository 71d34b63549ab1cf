import { expect, test } from '@jest/globals';
import { createAuthorizationHeader, createSignatureBase, encodeUrlAsSigned } from './oauth1.js';

test('the signature base string matches RFC 5849, 3.4.1.1', () => {
  const base = createSignatureBase(
    {
      method: 'post',
      url: new URL('http://EXAMPLE.com:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b'),
      form: [
        ['c2', ''],
        ['a3', '2 q'],
      ],
    },
    [
      ['oauth_consumer_key', '9djdj82h48djs9d2'],
      ['oauth_token', 'kkk9d7dh3k39sjv7'],
      ['oauth_signature_method', 'HMAC-SHA1'],
      ['oauth_timestamp', '137131201'],
      ['oauth_nonce', '7d8f3e4a'],
    ],
  );
  expect(base).toBe(
    'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
  );
});

const printer = { consumerKey: 'dpf43f3p2l4k3l03', consumerSecret: 'kd94hf93k423kf44' };

test('the signature matches RFC 5849, 1.2', () => {
  const header = createAuthorizationHeader(
    { method: 'GET', url: new URL('http://photos.example.net/photos?file=vacation.jpg&size=original') },
    { ...printer, token: 'nnch734d00sl2jdk', tokenSecret: 'pfkkdhi9sl3r4s00' },
    { timestampSeconds: 137_131_202, nonce: 'chapoH' },
    'HMAC-SHA1',
  );
  expect(header).toContain('oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"');
  expect(header).toContain('oauth_token="nnch734d00sl2jdk"');
});

test('without a token the header omits it, and its secret is empty', () => {
  const header = createAuthorizationHeader(
    { method: 'GET', url: new URL('http://shop.example/wp-json/wc/v3/orders') },
    { ...printer, token: null, tokenSecret: null },
    { timestampSeconds: 137_131_202, nonce: 'chapoH' },
  );
  // Generated with: openssl dgst -sha256 -hmac 'kd94hf93k423kf44&' -binary | base64
  expect(header).toBe(
    'OAuth oauth_consumer_key="dpf43f3p2l4k3l03", oauth_signature_method="HMAC-SHA256", oauth_timestamp="137131202", oauth_nonce="chapoH", oauth_signature="kX%2FMFSBzciVItX8X85llO5X1iJUBJmK4wTD%2BuWbeQGU%3D"',
  );
});

test('the query is sent as it was signed', () => {
  expect(encodeUrlAsSigned(new URL('http://shop.example/a?from=2026-11-22 08:00&s[]=x*y'))).toBe(
    'http://shop.example/a?from=2026-11-22%2008%3A00&s%5B%5D=x%2Ay',
  );
  expect(encodeUrlAsSigned(new URL('http://shop.example/a'))).toBe('http://shop.example/a');
});
