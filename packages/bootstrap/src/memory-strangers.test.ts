import { beforeEach, expect, test } from '@jest/globals';
import type { Strangers } from '@switchboard/domain';
import { memoryStrangers } from './memory-strangers.js';

let nowMs: number;
let strangers: Strangers;
beforeEach(() => {
  nowMs = 0;
  strangers = memoryStrangers(3, () => nowMs);
});
const turnAway = async (address: string | undefined, times: number) => {
  for (let at = 0; at < times; at++) await strangers.turnedAway(address, null);
};
const mayCome = async (address: string | undefined, publicId: string | null = null) =>
  (await strangers.mustWait(address, publicId)) === null;

test('an address that presented too much in vain has to wait, up to a minute, and no other one', async () => {
  await turnAway('192.0.2.1', 2);
  expect(await mayCome('192.0.2.1')).toBe(true);
  await turnAway('192.0.2.1', 1);
  expect(await mayCome('192.0.2.1', 'some key')).toBe(false);
  expect(await strangers.mustWait('192.0.2.1', null)).toBeLessThanOrEqual(60);
  expect(await strangers.mustWait('192.0.2.1', null)).toBeGreaterThan(50);
  expect(await mayCome('192.0.2.2')).toBe(true);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', false],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', true],
  ['192.0.2.1', '::ffff:192.0.2.1', false],
  [undefined, undefined, false],
])('who presented in vain from %s: may %s still? %s', async (from, address, may) => {
  await turnAway(from, 3);
  expect(await mayCome(address)).toBe(may);
});

test('a key that was good here within the hour comes in whoever its neighbours are, until it is of no use', async () => {
  strangers.welcomed('good');
  await turnAway('192.0.2.1', 10);
  expect(await mayCome('192.0.2.1', 'good')).toBe(true);
  nowMs += 3_600_000;
  expect(await mayCome('192.0.2.1', 'good')).toBe(false);
  strangers.welcomed('good');
  await strangers.turnedAway('192.0.2.1', 'good');
  expect(await mayCome('192.0.2.1', 'good')).toBe(false);
});

test('pages are for everybody, ten times as often, and count for nothing else', async () => {
  for (let at = 0; at < 30; at++) expect(await strangers.visited('192.0.2.1')).toBeNull();
  expect(await strangers.visited('192.0.2.1')).toBeGreaterThan(0);
  expect(await strangers.visited('192.0.2.2')).toBeNull();
  expect(await mayCome('192.0.2.1')).toBe(true);
});
