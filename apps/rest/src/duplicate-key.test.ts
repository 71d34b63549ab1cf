import { expect, test } from '@jest/globals';
import { findDuplicateKey } from './duplicate-key.js';

test.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"b":[{"c":1},{"d":[],"c":{"e":0,"f":1,"e":2}}]}', 'b.1.c.e'],
  ['[[1,{"a":"}","a":"{"}]]', '0.1.a'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"a":{"a":{}},"b":"\\"a\\":1,","c":["a","a"]}', null],
  ['{"a":{"x":1},"b":{"x":1}}', null],
  ['{ "a" : "\\\\" , "b" : { } }', null],
  ['{}', null],
  ['"a"', null],
])('finding 13: the key that %s repeats is %s', (json, path) => {
  JSON.parse(json);
  expect(findDuplicateKey(json)).toBe(path);
});

test('a body of a megabyte is read in one pass', () => {
  /** Processor time in ms, because wall-clock time grows on a busy machine; the least of three runs. */
  const costOf = (depth: number) => {
    const deep = `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;
    const costs = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      expect(findDuplicateKey(deep)).toBeNull();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...costs);
  };
  // Linear is 6, quadratic is 36.
  expect(costOf(120_000) / Math.max(costOf(20_000), 1)).toBeLessThan(18);
});
