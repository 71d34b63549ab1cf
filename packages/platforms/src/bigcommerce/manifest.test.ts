import { expect, test } from '@jest/globals';
import { manifest } from './manifest.js';

const { patterns = [] } = manifest.connect.find(({ id }) => id === 'api_account')?.keyForm?.account ?? {};
const hashIn = (typed: string) =>
  patterns.map((spelling) => spelling.exec(typed)?.[1]).find((hash) => hash !== undefined);

test.each([
  'abc123',
  'https://api.bigcommerce.com/stores/abc123/v3/',
  'api.bigcommerce.com/stores/abc123',
  'https://store-abc123.mybigcommerce.com/manage/settings/auth/api-accounts',
])('the store is identified by %j', (typed) => expect(hashIn(typed)).toBe('abc123'));

test.each([
  '',
  'https://api.bigcommerce.com/',
  'https://kiln.example',
  'store-abc123',
  '../abc',
  'abc?x',
  'a/b',
])('no store is identified by %j', (typed) => expect(hashIn(typed)).toBeUndefined());
