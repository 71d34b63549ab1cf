import { expect, test } from '@jest/globals';
import { catalogue } from './catalogue.js';
import { fieldsAt } from './fields-at.js';
import { nearest } from './nearest.js';

const createPost = catalogue.find(({ name }) => name === 'createPost')!;
const fields = fieldsAt(createPost.input, []);

test.each([
  ['schedule_at', 'scheduled_at'],
  ['scheduledAt', 'scheduled_at'],
  ['profile', 'profile_id'],
  ['profileId', 'profile_id'],
  ['txt', 'text'],
  ['timezon', 'timezone'],
  ['target', 'targets'],
])('%s is meant to be %s', (word, meant) => expect(nearest(word, fields)).toBe(meant));

test.each(['no_such_field', 'workspace_id', 'constructor', '__proto__', 'x', 'a'.repeat(100_000), ''])(
  '%.20s is near to none',
  (word) => expect(nearest(word, fields)).toBeNull(),
);

test('knows the fields within lists, also where something else could stand in their place', () => {
  expect(fieldsAt(createPost.input, ['targets', 0])).toContain('connection_id');
  expect(fieldsAt(createPost.input, ['media', 3])).toContain('media_id');
  expect(fieldsAt(createPost.input, ['text'])).toEqual([]);
  expect(fieldsAt(createPost.input, ['constructor'])).toEqual([]);
  expect(fieldsAt(createPost.input, ['targets', 0, 'connection_id', 'deeper'])).toEqual([]);
});
