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
  const bodyOf = (depth: number) => `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;
  /** Processor time in ms, because wall-clock time grows on a busy machine; the least of three runs. */
  const costOf = (body: string, times: number) => {
    const costs = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      for (let time = 0; time < times; time += 1) expect(findDuplicateKey(body)).toBeNull();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...costs);
  };
  // In one pass, one body takes 1 to 5 times as long as 24 bodies of a 24th, by the memory it needs; quadratic is 24.
  expect(costOf(bodyOf(120_000), 1) / costOf(bodyOf(5_000), 24)).toBeLessThan(15);
});
