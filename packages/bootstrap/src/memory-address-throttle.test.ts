import { beforeEach, expect, test } from '@jest/globals';
import type { AddressThrottle } from '@switchboard/domain/ports';
import { memoryAddressThrottle } from './memory-address-throttle.js';

let throttle: AddressThrottle;
beforeEach(() => {
  throttle = memoryAddressThrottle(3);
});
const fail = async (address: string | undefined, times: number) => {
  for (let at = 0; at < times; at++) expect(await throttle.recordFailure(address)).toBeNull();
};

test('an address with too many failures waits for up to a minute, and no other address does', async () => {
  await fail('192.0.2.1', 3);
  const seconds = await throttle.recordFailure('192.0.2.1');
  expect(seconds).toBeLessThanOrEqual(60);
  expect(seconds).toBeGreaterThan(50);
  expect(await throttle.recordFailure('192.0.2.2')).toBeNull();
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  [undefined, undefined, true],
])('failures from %s throttle %s: %s', async (from, address, isThrottled) => {
  await fail(from, 3);
  expect((await throttle.recordFailure(address)) !== null).toBe(isThrottled);
});

test('concurrent failures are counted individually', async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => throttle.recordFailure('192.0.2.1')));
  expect(all.filter((seconds) => seconds === null)).toHaveLength(3);
});

test('page visits have a separate limit, ten times as high', async () => {
  for (let at = 0; at < 30; at++) expect(await throttle.recordVisit('192.0.2.1')).toBeNull();
  expect(await throttle.recordVisit('192.0.2.1')).toBeGreaterThan(0);
  expect(await throttle.recordVisit('192.0.2.2')).toBeNull();
  expect(await throttle.recordFailure('192.0.2.1')).toBeNull();
});

test('sign-ins have a limit of a minute, and registrations one of an hour, a tenth as high', async () => {
  throttle = memoryAddressThrottle(30);
  for (const record of [throttle.recordSignIn, throttle.recordRegistration]) {
    for (let at = 0; at < 3; at++) expect(await record('192.0.2.1')).toBeNull();
    expect(await record('192.0.2.2')).toBeNull();
  }
  expect(await throttle.recordSignIn('192.0.2.1')).toBeLessThanOrEqual(60);
  expect(await throttle.recordRegistration('192.0.2.1')).toBeGreaterThan(3500);
  expect(await throttle.recordFailure('192.0.2.1')).toBeNull();
});
