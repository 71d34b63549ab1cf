import { expect, test } from '@jest/globals';
import { instant } from './shapes.js';

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
