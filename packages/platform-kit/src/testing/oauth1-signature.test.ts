import { describe, expect, test } from '@jest/globals';
import { baseStringOf, signatureFault, type SigningKeys } from './oauth1-signature.js';

// https://www.rfc-editor.org/rfc/rfc5849#section-1.2: three requests of a printer, and #section-3.4.1.1.
const client = { consumerKey: 'dpf43f3p2l4k3l03', consumerSecret: 'kd94hf93k423kf44' };
const requestOf = (method: string, url: string, parameters: Record<string, string>) => ({
  method,
  url,
  headers: {
    authorization: `OAuth realm="Photos",\n  ${Object.entries(parameters)
      .map(([name, value]) => `oauth_${name}="${value}"`)
      .join(',\n  ')}`,
  },
  bytes: new Uint8Array(),
});

const examples: readonly (readonly [string, string, ReturnType<typeof requestOf>, SigningKeys])[] = [
  [
    'for temporary credentials',
    'https://photos.example.net',
    requestOf('POST', '/initiate', {
      consumer_key: 'dpf43f3p2l4k3l03',
      signature_method: 'HMAC-SHA1',
      timestamp: '137131200',
      nonce: 'wIjqoS',
      callback: 'http%3A%2F%2Fprinter.example.com%2Fready',
      signature: '74KNZJeDHnMBp0EMJ9ZHt%2FXKycU%3D',
    }),
    { ...client, token: null, tokenSecret: null },
  ],
  [
    'for a token',
    'https://photos.example.net:443',
    requestOf('POST', '/token', {
      consumer_key: 'dpf43f3p2l4k3l03',
      token: 'hh5s93j4hdidpola',
      signature_method: 'HMAC-SHA1',
      timestamp: '137131201',
      nonce: 'walatlh',
      verifier: 'hfdp7dh39dks9884',
      signature: 'gKgrFCywp7rO0OXSjdot%2FIHF7IU%3D',
    }),
    { ...client, token: 'hh5s93j4hdidpola', tokenSecret: 'hdhd0244k9j7ao03' },
  ],
  [
    'for an image',
    'http://photos.example.net',
    requestOf('GET', '/photos?file=vacation.jpg&size=original', {
      consumer_key: 'dpf43f3p2l4k3l03',
      token: 'nnch734d00sl2jdk',
      signature_method: 'HMAC-SHA1',
      timestamp: '137131202',
      nonce: 'chapoH',
      signature: 'MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D',
    }),
    { ...client, token: 'nnch734d00sl2jdk', tokenSecret: 'pfkkdhi9sl3r4s00' },
  ],
];

describe.each(examples)('the request of RFC 5849, 1.2 %s', (_, origin, request, keys) => {
  test('is signed with its keys', () => {
    expect(signatureFault(request, origin, keys)).toBeNull();
  });

  test('does not match other keys or another request', () => {
    const other = 'has a signature of other keys';
    expect(signatureFault(request, origin, { ...keys, consumerSecret: 'x' })).toBe(other);
    expect(signatureFault(request, origin, { ...keys, tokenSecret: 'x' })).toBe(other);
    expect(signatureFault({ ...request, method: 'PUT' }, origin, keys)).toBe(other);
    expect(signatureFault({ ...request, url: `${request.url}?a=1` }, origin, keys)).toBe(other);
    expect(signatureFault(request, 'http://photos.example.org', keys)).toBe(other);
    expect(signatureFault(request, origin, { ...keys, consumerKey: 'x' })).toBe('names another consumer key');
    expect(signatureFault(request, origin, { ...keys, token: 'x' })).toBe('names another token');
  });
});

test('the signature base string is that of RFC 5849, 3.4.1.1', () => {
  const request = {
    method: 'POST',
    url: '/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization:
        'OAuth realm="Example", oauth_consumer_key="9djdj82h48djs9d2", oauth_token="kkk9d7dh3k39sjv7", ' +
        'oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131201", oauth_nonce="7d8f3e4a", ' +
        'oauth_signature="bYT5CMsGcbgUdFHObYMEfcx6bsw%3D"',
    },
    bytes: Buffer.from('c2&a3=2+q'),
  };
  expect(baseStringOf(request, 'http://EXAMPLE.COM:80')).toBe(
    'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26' +
      'oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26' +
      'oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
  );
});

test('a request with a missing or incomplete signature is not signed', () => {
  const keys = { ...client, token: null, tokenSecret: null };
  const bearer = { method: 'GET', url: '/', headers: { authorization: 'Bearer x' }, bytes: new Uint8Array() };
  expect(signatureFault(bearer, 'http://a.example', keys)).toBe('is not signed by a known algorithm');
  const half = { consumer_key: client.consumerKey, signature_method: 'HMAC-SHA256' };
  expect(signatureFault(requestOf('GET', '/', half), 'http://a.example', keys)).toBe('has no timestamp');
  expect(signatureFault(requestOf('GET', '/', { ...half, timestamp: '1' }), 'http://a.example', keys)).toBe(
    'has no nonce',
  );
});
