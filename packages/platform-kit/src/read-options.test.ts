import { expect, test } from '@jest/globals';
import { optionReader } from './read-options.js';

const optionsOf = optionReader([
  {
    name: 'visibility',
    label: 'Visibility',
    type: 'choice',
    required: false,
    choices: [
      { value: 'all', label: 'Everyone' },
      { value: 'friends', label: 'Friends' },
    ],
  },
  { name: 'board', label: 'Board', type: 'choice', required: true },
  { name: 'topic', label: 'Topic', type: 'string', required: false, max: 5 },
  { name: 'tags', label: 'Tags', type: 'string_list', required: false },
  { name: 'silent', label: 'Silent', type: 'boolean', required: false },
]);

test('every declared option is read, and has the type that its declaration gives it', () => {
  const options = { visibility: 'all', board: 'any', topic: 'kilns', tags: ['a'], silent: false };
  const read = optionsOf({ options });
  const visibility: 'all' | 'friends' | undefined = read.visibility;
  const silent: boolean | undefined = read.silent;
  const tags: readonly string[] | undefined = read.tags;
  // @ts-expect-error: a choice is one of its values.
  const other: 'none' | undefined = read.visibility;
  expect([visibility, silent, tags, other]).toEqual(['all', false, ['a'], 'all']);
  expect(read).toEqual(options);
});

test('an undeclared option is not read', () => {
  expect(optionsOf({ options: { secret: 'yes', silent: true } })).toEqual({ silent: true });
});

test.each(
  Object.entries({ visibility: 'none', board: '', topic: 'longer', tags: 'a', silent: 'yes' }).map(
    ([name, value]) => ({ [name]: value }),
  ),
)('a value that violates its declaration is not read, nor is any other: %j', (wrong) => {
  const options = Object.assign({ visibility: 'all', silent: true }, wrong);
  expect(optionsOf({ options })).toEqual({});
});
