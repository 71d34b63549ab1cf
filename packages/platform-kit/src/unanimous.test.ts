import { expect, test } from '@jest/globals';
import { unanimous } from './unanimous.js';

test.each<[readonly (boolean | null)[], boolean | null]>([
  [[], null],
  [[true], true],
  [[false, false], false],
  [[true, false], null],
  [[true, null], null],
])('%j agree on %j', (values, value) => {
  expect(unanimous(values)).toBe(value);
});
