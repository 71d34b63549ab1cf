import { expect, test } from '@jest/globals';
import { decodeHtml } from './decode-html.js';

const latin = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['UTF-8 by default', Buffer.from('<title>é漢</title>'), 'text/html', '<title>é漢</title>'],
  ['what the server says', latin('<title>é</title>'), 'text/html; charset="ISO-8859-1"', '<title>é</title>'],
  [
    'what the page says',
    latin('<meta charset=windows-1252><title>é</title>'),
    'text/html',
    '<meta charset=windows-1252><title>é</title>',
  ],
  [
    'what the page says in the older way',
    Buffer.concat([
      Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">'),
      Buffer.from([0x93, 0xfa]),
    ]),
    'text/html',
    '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">日',
  ],
  [
    'the byte order mark first',
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('é漢', 'utf16le')]),
    'text/html; charset=utf-8',
    'é漢',
  ],
  ['UTF-8 where the name means nothing', Buffer.from('é'), 'text/html; charset=martian', 'é'],
])('the encoding is %s', (_, bytes, type, text) => expect(decodeHtml(bytes, type)).toBe(text));
