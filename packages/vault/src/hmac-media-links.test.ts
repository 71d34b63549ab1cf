import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { movableClock } from '@switchboard/domain/testing';
import type { MediaId, WorkspaceId } from '@switchboard/domain';
import type { LinkedFile, LinkedUpload } from '@switchboard/domain/ports';
import { hmacMediaLinks } from './hmac-media-links.js';

const key = randomBytes(32);
const make = (over: Partial<Parameters<typeof hmacMediaLinks>[0]> = {}) => {
  const clock = movableClock();
  return { clock, links: hmacMediaLinks({ key, publicUrl: 'https://switchboard.example', clock, ...over }) };
};
const file: LinkedFile = { name: 'abc-_DEF', type: 'image/png', bytes: 1234 };
const upload: LinkedUpload = {
  workspaceId: 'wsp_01j0000000000000000000000a' as WorkspaceId,
  mediaId: 'med_01j0000000000000000000000b' as MediaId,
};
const tokenOf = (url: string) => url.split('/').at(-1) ?? '';

test('a URL identifies a file and the endpoint that serves it', () => {
  const { links } = make();
  const url = links.publicUrl(file);
  expect(url).toMatch(/^https:\/\/switchboard\.example\/media\/[A-Za-z0-9_-]+$/);
  expect(links.readPublic(tokenOf(url))).toEqual(file);
});

test('a URL is valid for an hour', () => {
  const { links, clock } = make();
  const token = tokenOf(links.publicUrl(file));
  clock.advance(3_590_000);
  expect(links.readPublic(token)).toEqual(file);
  clock.advance(11_000);
  expect(links.readPublic(token)).toBeNull();
});

test('an upload URL is valid until it expires, and for no other use', () => {
  const { links, clock } = make();
  const url = links.uploadUrl(upload, clock.after(60_000));
  expect(url).toMatch(/^https:\/\/switchboard\.example\/media\/uploads\/[A-Za-z0-9_-]+$/);
  expect(links.readUpload(tokenOf(url))).toEqual(upload);
  expect(links.readPublic(tokenOf(url))).toBeNull();
  expect(links.readUpload(tokenOf(links.publicUrl(file)))).toBeNull();
  clock.advance(61_000);
  expect(links.readUpload(tokenOf(url))).toBeNull();
});

test('a modified or truncated token, or one signed with another key, is rejected', () => {
  const { links } = make();
  const token = tokenOf(links.publicUrl(file));
  const others = [
    ...Array.from(
      token,
      (letter, at) => token.slice(0, at) + (letter === 'A' ? 'B' : 'A') + token.slice(at + 1),
    ),
    ...Array.from(token, (_, at) => token.slice(0, at)),
    `${token}A`,
    `${token}=`,
    `${token} `,
    tokenOf(make({ key: randomBytes(32) }).links.publicUrl(file)),
    '../../etc/passwd',
    'ü',
  ];
  for (const other of others) expect([other, links.readPublic(other)]).toEqual([other, null]);
});

test.each([
  ['https://switchboard.example', true],
  ['https://8.8.8.8:8443', true],
  ['http://127.0.0.1:3000', false],
  ['http://127.9.9.9', false],
  ['http://localhost:3000', false],
  ['http://a.localhost', false],
  ['http://[::1]:3000', false],
  ['http://10.1.2.3', false],
  ['http://192.168.1.1', false],
  ['http://172.20.0.1', false],
  ['http://[fd00::1]', false],
  ['http://nas.local', false],
  ['http://switchboard', false],
])('platforms can fetch from %s: %s', (publicUrl, reachable) => {
  expect(make({ publicUrl }).links.isPublic()).toBe(reachable);
});
