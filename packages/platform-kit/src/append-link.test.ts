import { expect, test } from '@jest/globals';
import { appendLink } from './append-link.js';

const link = 'https://shop.example/a';

test.each([
  ['See https://shop.example/a', true],
  ['See https://shop.example/a, and more', true],
  ['(https://shop.example/a)', true],
  ['“https://shop.example/a.”', true],
  ['https://shop.example/a\nhttps://shop.example/a-2', true],
  ['See https://shop.example/a-2', false],
  ['See https://shop.example/a/b', false],
  ['See https://shop.example/a?b=c', false],
  ['See https://shop.example/a.html', false],
  ['https://shop.example/a-2 or https://shop.example/a', true],
])('%j contains the whole link: %j', (text, holds) => {
  expect(appendLink({ text, link })).toBe(holds ? text : `${text}\n${link}`);
});

test('an empty text becomes the link alone', () => {
  expect(appendLink({ text: ' ', link })).toBe(link);
  expect(appendLink({ text: 'No link', link: null })).toBe('No link');
});
