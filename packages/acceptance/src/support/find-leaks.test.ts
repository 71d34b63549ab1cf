import { expect, test } from '@jest/globals';
import { findLeakPlaces } from './find-leaks.js';

const SECRET = 'rt_0Fq8/Zk+2"ü-longer-than-that';
const around = (bytes: Buffer | string) =>
  ['', 'a', 'ab', 'abc'].map((before) => Buffer.concat([Buffer.from(before), Buffer.from(bytes)]));
const findPlaces = (written: string) => findLeakPlaces(new Map([['here', written]]), [SECRET]);

test.each([
  ['plainly', [`token=${SECRET};`]],
  ['in JSON', [JSON.stringify({ token: SECRET })]],
  ['in a URL', [`https://example.com/?token=${encodeURIComponent(SECRET)}`]],
  ['as bytes, as PostgreSQL prints them', around(SECRET).map((bytes) => `\\x${bytes.toString('hex')}`)],
  ['in base64 at any offset', around(`${SECRET} and more`).map((bytes) => bytes.toString('base64'))],
  ['in base64url at any offset', around(`${SECRET} and more`).map((bytes) => bytes.toString('base64url'))],
])('finds a secret that was written %s', (_how, places) => {
  for (const written of places) expect(findPlaces(written)).toEqual(['here']);
});

test('finds nothing where only part of the secret is present', () => {
  expect(findPlaces(SECRET.slice(0, -1))).toEqual([]);
});
