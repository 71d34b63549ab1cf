import { expect, test } from '@jest/globals';
import { toBenchmarkResult } from './benchmark-result.js';

const measured = { figure: 'vault', value: 50, unit: 'per second' } as const;

test.each([
  [{ at_least: 0.5 }, true],
  [{ at_least: 0.51 }, false],
  [{ at_most: 0.5 }, true],
  [{ at_most: 0.49 }, false],
])('a ratio of 0.5 meets %j: %s', (reach, met) => {
  const { ratio, met: actual } = toBenchmarkResult({
    ...measured,
    reach,
    comparedWith: { what: 'bare', value: 100 },
  });
  expect({ ratio, met: actual }).toEqual({ ratio: 0.5, met });
});

test('compares the value itself when there is no baseline', () => {
  const { compared_with, ratio, met } = toBenchmarkResult({ ...measured, reach: { at_most: 49 } });
  expect({ compared_with, ratio, met }).toEqual({ compared_with: null, ratio: null, met: false });
});

test('decides by the measured value, not by the rounded one', () => {
  const comparedWith = { what: 'bare', value: 1, ratio: 0.7499 };
  expect(toBenchmarkResult({ ...measured, reach: { at_least: 0.75 }, comparedWith }).met).toBe(false);
});

test.each([{ at_least: 1 }, { at_most: 1 }])('meets no threshold when nothing was measured: %j', (reach) => {
  expect(toBenchmarkResult({ ...measured, value: Number.NaN, reach }).met).toBe(false);
});
