import { expect, test } from '@jest/globals';
import getAnalytics from './get-analytics.js';

test.each([
  ['1970-01-01', true],
  ['9998-12-31', true],
  ['0000-01-01', false],
  ['0001-01-01', false],
  ['9999-12-31', false],
])('rejects dates that the database cannot store in every time zone: %s, %s', (from, isTaken) => {
  expect(getAnalytics.input.safeParse({ from, to: from }).success).toBe(isTaken);
});

test('reports one problem for a value that is not a date', () => {
  expect(getAnalytics.input.safeParse({ from: 'soon' }).error?.issues).toHaveLength(1);
});
