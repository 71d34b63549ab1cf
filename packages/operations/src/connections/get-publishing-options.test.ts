import { expect, test } from '@jest/globals';
import { ok } from '@switchboard/domain';
import { memorySocial } from '@switchboard/domain/testing';
import { setupDispatch } from '../testing/setup-dispatch.js';
import getPublishingOptions from './get-publishing-options.js';

const board = { name: 'board', label: 'Board', type: 'choice', required: true, max: 3 } as const;
const choices = Array.from({ length: 250 }, (_, at) => ({ value: `b${at}`, label: `Board ${at}` }));

async function setupBoard() {
  const social = memorySocial({
    manifest: { options: [board] },
    options: async () => ok({ options: [{ ...board, choices }] }),
  });
  const it = await setupDispatch([social]);
  const { id } = await it.connect();
  const { authorization } = await it.key(['posts:read']);
  return async (surface: 'rest' | 'mcp', more: object = {}) => {
    const { value } = await it.call(getPublishingOptions, { id, ...more }, { authorization, surface });
    const [option] = value['options'] as readonly (typeof board & { choices: object[]; more: boolean })[];
    return { ...option, choices: option?.choices.length };
  };
}

test('returns a hundred choices to an agent, whether there are more, and those that match its query', async () => {
  const ask = await setupBoard();
  expect(await ask('mcp')).toEqual({ ...board, choices: 100, more: true });
  expect(await ask('mcp', { query: 'board 24' })).toEqual({ ...board, choices: 11, more: false });
});

test('returns all choices over REST unless a limit is given', async () => {
  const ask = await setupBoard();
  expect(await ask('rest')).toEqual({ ...board, choices: 250, more: false });
  expect(await ask('rest', { limit: 30 })).toEqual({ ...board, choices: 30, more: true });
});
