import { expect, test } from '@jest/globals';
import { containsCidr, isCidr } from './cidr.js';

test.each([
  '10.0.0.0/8',
  '192.0.2.7',
  '0.0.0.0/0',
  '::/0',
  '2001:db8::/32',
  '::1',
  'fe80::1:2',
  '1:2:3:4:5:6:7:8',
  '::ffff:10.0.0.0/104',
  '1::',
])('accepts %s as a network', (text) => expect(isCidr(text)).toBe(true));

test.each([
  ['', 'nothing'],
  ['10.0.0.1/8', 'bits set after the prefix'],
  ['10.0.0.0/33', 'a prefix longer than the address'],
  ['::/129', 'a prefix longer than the address'],
  ['10.0.0', 'too few groups'],
  ['10.0.0.0.0', 'too many groups'],
  ['010.0.0.1', 'octal'],
  ['0x7f.0.0.1', 'hexadecimal'],
  ['2130706433', 'a single number'],
  ['256.0.0.1', 'a group out of range'],
  ['10.0.0.0/08', 'a prefix with a leading zero'],
  ['10.0.0.0/', 'an empty prefix'],
  ['1:2:3', 'too few groups'],
  ['1:2:3:4:5:6:7:8:9', 'too many groups'],
  ['1::2::3', 'two "::" gaps'],
  ['1:2:3:4:5:6:7::8', 'a "::" gap of zero groups'],
  ['::10.0.0.1:1', 'IPv4 in the middle'],
  ['fe80::1%eth0', 'a zone'],
  ['localhost', 'a host name'],
  [' 10.0.0.1', 'a space'],
])('rejects %j: %s', (text) => expect(isCidr(text)).toBe(false));

test.each([
  ['10.0.0.0/8', '10.1.2.3', true],
  ['10.0.0.0/8', '10.1.0.0/16', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.1.0.0/16', '10.0.0.0/8', false],
  ['10.0.0.1', '10.0.0.1/32', true],
  ['::ffff:10.0.0.0/104', '10.9.9.9', true],
  ['10.0.0.0/8', '::ffff:10.9.9.9', true],
  ['::/0', '10.0.0.1', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/33', '2001:db8:ffff::1', false],
  ['10.0.0.0/8', 'nonsense', false],
])('%s contains %s: %p', (outer, inner, contained) => expect(containsCidr(outer, inner)).toBe(contained));
