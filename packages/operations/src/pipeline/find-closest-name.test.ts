import { expect, test } from '@jest/globals';
import { catalog } from '../catalog.js';
import { listFieldNames } from './parse.js';
import { findClosestName } from '@switchboard/domain';

const createPost = catalog.find(({ name }) => name === 'createPost')!;
const fields = listFieldNames(createPost.input, []);

test.each([
  ['schedule_at', 'scheduled_at'],
  ['scheduledAt', 'scheduled_at'],
  ['profile', 'profile_id'],
  ['profileId', 'profile_id'],
  ['txt', 'text'],
  ['timezon', 'timezone'],
  ['target', 'targets'],
])('suggests for %s the name %s', (word, meant) => expect(findClosestName(word, fields)).toBe(meant));

test.each(['no_such_field', 'workspace_id', 'constructor', '__proto__', 'x', 'a'.repeat(100_000), ''])(
  'suggests nothing for %.20s',
  (word) => expect(findClosestName(word, fields)).toBeNull(),
);

test('suggests fields within lists, also where the list accepts another type', () => {
  expect(listFieldNames(createPost.input, ['targets', 0])).toContain('connection_id');
  expect(listFieldNames(createPost.input, ['media', 3])).toContain('media_id');
  expect(listFieldNames(createPost.input, ['text'])).toEqual([]);
  expect(listFieldNames(createPost.input, ['constructor'])).toEqual([]);
  expect(listFieldNames(createPost.input, ['targets', 0, 'connection_id', 'deeper'])).toEqual([]);
});
