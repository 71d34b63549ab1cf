import { expect, test } from '@jest/globals';
import { parseAtprotoLogin, parseServerOrigin } from './atproto-login.js';

test.each([
  ['alice.bsky.social', 'alice.bsky.social'],
  [' @Alice.Bsky.Social ', 'alice.bsky.social'],
  ['\u202a@alice.bsky.social\u202c', 'alice.bsky.social'],
  ['did:plc:ewvi7nxzyoun6zhxrhs64oiz', 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'],
  ['did:web:example.com', 'did:web:example.com'],
])('%p is the account %s', (typed, identifier) => {
  expect(parseAtprotoLogin(typed)).toEqual({ kind: 'identity', identifier });
});

test.each([
  ['https://pds.example.com', 'https://pds.example.com'],
  ['HTTPS://PDS.example.com/some/path?x', 'https://pds.example.com'],
  ['http://localhost:2583', 'http://localhost:2583'],
])('%p is the server %s', (typed, origin) => {
  expect(parseAtprotoLogin(typed)).toEqual({ kind: 'server', origin });
});

test.each([
  [undefined],
  [''],
  ['alice'],
  ['alice@example.com'],
  ['alice bsky.social'],
  ['-a.bsky.social'],
  ['alice..social'],
  ['127.0.0.1'],
  ['did:plc:short'],
  ['did:key:z6Mk'],
  ['https://user:pass@pds.example.com'],
  ['https://'],
  ['ftp://pds.example.com'],
])('%p is rejected', (typed) => {
  expect(parseAtprotoLogin(typed)).toBeNull();
});

test('a server can be entered without its scheme', () => {
  expect(parseServerOrigin('pds.example.com')).toBe('https://pds.example.com');
  expect(parseServerOrigin('ftp://pds.example.com')).toBeNull();
  expect(parseServerOrigin('not a server')).toBeNull();
});
