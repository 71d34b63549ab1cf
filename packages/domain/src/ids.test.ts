import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { formatId, idTimeMs, parseId } from './ids.js';

const ZERO = new Uint8Array(10);
const LAST_MS = 2 ** 48 - 1;

test('contains the millisecond of its creation, from 1970 to the end of its 48 bits', () => {
  for (const timeMs of [0, 1, 31, 32, Date.UTC(2026, 10, 21), LAST_MS]) {
    const id = formatId('pst', timeMs, randomBytes(10));
    expect(idTimeMs(id)).toBe(timeMs);
    expect(parseId('pst', id)).toBe(id);
  }
});

test('sorts as text by time, regardless of the random part', () => {
  const times = Array.from({ length: 1000 }, () => Number(randomBytes(8).readBigUInt64BE() >> 16n)).sort(
    (a, b) => a - b,
  );
  const ids = times.map((timeMs) => formatId('evt', timeMs, randomBytes(10)));
  expect(ids.map((id) => id.slice(0, 14))).toEqual(ids.map((id) => id.slice(0, 14)).sort());
  expect(formatId('evt', 1, new Uint8Array(10).fill(255)) < formatId('evt', 2, ZERO)).toBe(true);
});

test('keeps all 80 random bits', () => {
  const seen = new Set<string>([formatId('pst', 0, ZERO)]);
  for (let bit = 0; bit < 80; bit++) {
    const random = new Uint8Array(10);
    random[bit >> 3] = 1 << (bit & 7);
    seen.add(formatId('pst', 0, random));
  }
  expect(seen.size).toBe(81);
});

test('rejects an invalid time and too few random bytes', () => {
  for (const timeMs of [-1, 0.5, Number.NaN, Infinity, LAST_MS + 1]) {
    expect(() => formatId('pst', timeMs, ZERO)).toThrow('millisecond');
  }
  for (const length of [0, 9, 11]) expect(() => formatId('pst', 0, new Uint8Array(length))).toThrow('random');
});

test('is parsed only with its own prefix', () => {
  const id = formatId('pst', Date.UTC(2026, 0, 1), randomBytes(10));
  const part = id.slice(4);
  expect(parseId('prf', id)).toBeNull();
  for (const wrong of [
    '',
    'pst',
    'pst_',
    part,
    `PST_${part}`,
    `pst_${part.toUpperCase()}`.replace(/\d+$/, 'A'),
    `pst-${part}`,
    `pst__${part}`,
    `pst_${part}0`,
    `pst_${part.slice(1)}`,
    `pst_8${part.slice(1)}`,
    ` ${id}`,
    `${id} `,
    `${id}\n`,
    `${id}\u0000`,
    ...[...'ilouILOU-_é\u0000'].map((letter) => `pst_${part.slice(0, 25)}${letter}`),
    "pst_' or 1=1 --",
    '../../etc/passwd',
    '__proto__',
  ]) {
    expect(parseId('pst', wrong)).toBeNull();
  }
});
