import { expect, test } from '@jest/globals';
import { catalog } from '@switchboard/operations';
import { reviveQuery } from './revive-query.js';

const listPosts = catalog.find(({ name }) => name === 'listPosts');
if (!listPosts) throw new Error('unknown operation listPosts');
const revived = (query: string) => reviveQuery(listPosts, new URLSearchParams(query));
const parsed = (query: string) => listPosts.input.safeParse(revived(query));

test('numbers and lists are converted to the types of the schema, and invalid values stay for the schema to reject', () => {
  expect(revived('limit=5&status=failed,missed&status=draft')).toEqual({
    limit: 5,
    status: ['failed', 'missed', 'draft'],
  });
  expect(parsed('limit=five').success).toBe(false);
  expect(parsed('limit=5&limit=6').success).toBe(false);
});

test.each([
  ['metadata.campaign=spring', { campaign: 'spring' }],
  ['metadata[campaign]=spring', { campaign: 'spring' }],
  ['metadata.campaign=spring&metadata.a.b=1&metadata[c]=%20', { campaign: 'spring', 'a.b': '1', c: ' ' }],
  ['metadata.campaign=1', { campaign: '1' }],
])('%s requests metadata', (query, metadata) => {
  expect(parsed(query)).toMatchObject({ success: true, data: { metadata } });
});

test.each([
  'metadata=spring',
  'metadata=spring&metadata.campaign=spring',
  'metadata.campaign=spring&metadata=spring',
  'metadata.campaign=a&metadata.campaign=b',
  'metadata.=spring',
  'metadata[]=spring',
  'platform.x=1',
  'nothing.campaign=spring',
  'constructor.campaign=spring',
])('%s is rejected', (query) => {
  expect(parsed(query).success).toBe(false);
});

test('no key changes the prototype of an object', () => {
  revived('metadata.__proto__=polluted&__proto__.polluted=1&metadata[__proto__]=x');
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  expect(Object.keys(revived('metadata.__proto__=x')['metadata'] as object)).toEqual(['__proto__']);
});
