import { expect, test } from '@jest/globals';
import { instant, isoTime } from './shapes.js';

test.each([
  ['0001-01-01T00:00:00Z', true],
  ['9999-12-31T23:59:59Z', true],
  ['0000-12-31T23:59:59Z', false],
  ['0001-01-01T00:00:00+01:00', false],
  ['9999-12-31T23:59:59-01:00', false],
])('rejects times that the database cannot store or a response cannot contain: %s, %s', (text, isTaken) => {
  expect(instant.safeParse(text).success).toBe(isTaken);
});

test('reports one problem for a value that is not a time', () => {
  expect(instant.safeParse('soon').error?.issues).toHaveLength(1);
});

test.each([
  '2026-11-28T09:05:07.042Z',
  '2026-12-31T23:59:59.999Z',
  '1999-01-01T00:00:00.000Z',
  '0999-10-10T10:10:10.100Z',
  '0000-01-01T00:00:00.000Z',
  '-000001-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999Z',
  '+010000-01-01T00:00:00.000Z',
])('a time is written like toISOString (%s)', (text) => {
  expect(isoTime(new Date(text))).toBe(new Date(text).toISOString());
});

test('every hour of sixty years is written like toISOString', () => {
  const differences: string[] = [];
  for (let ms = Date.UTC(1990); ms < Date.UTC(2050); ms += 3_607_009) {
    const date = new Date(ms);
    if (isoTime(date) !== date.toISOString()) differences.push(date.toISOString());
  }
  expect(differences).toEqual([]);
});

test('an invalid date is not written', () => {
  expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError);
});
