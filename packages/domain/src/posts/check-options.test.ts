import { expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { checkOptions } from './check-options.js';

const board = { name: 'board', label: 'Board', type: 'choice', required: true } as const;
const { manifest } = memorySocial({ manifest: { options: [board] } }).platform;
const problemsWith = (options: Record<string, unknown>) =>
  checkOptions(manifest, options, 'targets.0').map(({ path, code, message }) => [path, code, message]);

test('a choice among what only the account knows may be any word, and the platform judges it', () => {
  expect(problemsWith({ board: 'recipes' })).toEqual([]);
});

test.each([[''], [7], [['recipes']]])(
  'a choice of %j is none, and where choices are named is said',
  (value) => {
    const said = 'Board must be one of those that the account has: its publishing options name them.';
    expect(problemsWith({ board: value })).toEqual([['targets.0.options.board', 'option.invalid', said]]);
  },
);
