import { expect, test } from '@jest/globals';
import { marked, readMark } from './mark.js';

test.each<[string | null | undefined, string | null, string | null]>([
  [marked('rfd_1'), 'rfd_1', null],
  [marked('rfd_1', 'Broken', null), 'rfd_1', 'Broken'],
  [marked('rfd_1', 'Broken', 'by\nphone'), 'rfd_1', 'Broken by\nphone'],
  ['Broken [rfd_1]', null, 'Broken [rfd_1]'],
  ['[rfd_1]Broken', null, '[rfd_1]Broken'],
  ['', null, null],
  [null, null, null],
  [undefined, null, null],
])('%j bears the reference %j, and people wrote %j', (text, reference, words) => {
  expect(readMark(text)).toEqual({ reference, words });
});
