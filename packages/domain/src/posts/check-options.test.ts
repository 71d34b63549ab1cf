import { expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { checkOptions } from './check-options.js';

const board = { name: 'board', label: 'Board', type: 'choice', required: true } as const;
const { manifest } = memorySocial({ manifest: { options: [board] } }).platform;
const problemsWith = (options: Record<string, unknown>) =>
  checkOptions(manifest, options, 'targets.0').map(({ path, code, message }) => [path, code, message]);

test('an option whose choices only the account defines accepts any word, which the platform validates', () => {
  expect(problemsWith({ board: 'recipes' })).toEqual([]);
});

test.each([[''], [7], [['recipes']]])(
  'the choice %j is rejected, and the message names the choices',
  (value) => {
    const said = 'Board must be one of the account’s values: its publishing options list them.';
    expect(problemsWith({ board: value })).toEqual([['targets.0.options.board', 'option.invalid', said]]);
  },
);
