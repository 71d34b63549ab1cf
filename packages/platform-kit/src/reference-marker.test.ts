import { expect, test } from '@jest/globals';
import { formatReferenceMarker, parseReferenceMarker } from './reference-marker.js';

test.each<[string | null | undefined, string | null, string | null]>([
  [formatReferenceMarker('rfd_1'), 'rfd_1', null],
  [formatReferenceMarker('rfd_1', 'Broken', null), 'rfd_1', 'Broken'],
  [formatReferenceMarker('rfd_1', 'Broken', 'by\nphone'), 'rfd_1', 'Broken by\nphone'],
  ['Broken [rfd_1]', null, 'Broken [rfd_1]'],
  ['[rfd_1]Broken', null, '[rfd_1]Broken'],
  ['', null, null],
  [null, null, null],
  [undefined, null, null],
])('%j has the reference %j and the text %j', (text, reference, words) => {
  expect(parseReferenceMarker(text)).toEqual({ reference, words });
});
