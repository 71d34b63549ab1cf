import { expect, test } from '@jest/globals';
import { catalog, type Operation } from '@switchboard/operations';
import { findIdFields, platformIdFields, createInputsWithId } from './id-fields.js';

const named = (name: string): Operation => {
  const found = catalog.find((one) => one.name === name);
  if (!found) throw new Error(`unknown operation ${name}`);
  return found;
};
const paths = (operation: Pick<Operation, 'name' | 'input'>) =>
  findIdFields(operation).map(({ path }) => path);
const fieldOf = (operation: string, field: string) =>
  named(operation).input.shape[field] as Operation['input'];
const name = fieldOf('createProfile', 'name');

test('finds IDs in paths, filters, bodies, lists, and nested values', () => {
  expect(findIdFields(named('recheckDelivery'))).toEqual([
    { path: 'id', resourceType: 'post' },
    { path: 'delivery_id', resourceType: 'delivery' },
  ]);
  expect(paths(named('listRefunds'))).toEqual(['order_id', 'connection_id', 'profile_id']);
  expect(paths(named('createKey'))).toEqual(['policy.profile_ids.[]']);
  expect(paths(named('createPosts'))).toEqual(
    expect.arrayContaining([
      'posts.[].profile_id',
      'posts.[].targets.[].connection_id',
      'posts.[].targets.[].media.[].media_id',
    ]),
  );
});

test('finds a new field at any depth', () => {
  const input = named('getPost').input.extend({
    moved_to: fieldOf('getProfile', 'id'),
    around: named('getProfile').input,
  });
  expect(findIdFields({ name: 'movePost', input })).toEqual([
    { path: 'id', resourceType: 'post' },
    { path: 'moved_to', resourceType: 'profile' },
    { path: 'around.id', resourceType: 'profile' },
  ]);
});

test('fails for a field named like an ID whose kind is unclear', () => {
  const input = named('getPost').input.extend({ audience_id: name });
  expect(() => findIdFields({ name: 'getPost', input })).toThrow(/audience_id is named like an ID/);
});

test('fails for an ID of an unknown kind', () => {
  const input = named('getPost').input.extend({
    seat: name.meta({ examples: ['sea_01kah3v5w8e2m6r9t0x4y7z1ab'] }),
  });
  expect(() => findIdFields({ name: 'getPost', input })).toThrow(/has no known ID prefix/);
});

test('inserts an ID in its place, alone and after a valid one, and leaves everything else unchanged', () => {
  const place = (operation: string, path: string) => {
    const found = findIdFields(named(operation)).find((one) => one.path === path);
    if (!found) throw new Error(`${operation} has no ${path}`);
    return found;
  };
  expect(createInputsWithId(named('getPost'), place('getPost', 'id'), { id: 'a' }, 'b', 'c')).toEqual([
    { id: 'b' },
  ]);
  const key = place('createKey', 'policy.profile_ids.[]');
  expect(createInputsWithId(named('createKey'), key, { name: 'x' }, 'b', 'c')).toEqual([
    { name: 'x', policy: { profile_ids: ['b'] } },
    { name: 'x', policy: { profile_ids: ['c', 'b'] } },
  ]);
  const target = place('createPost', 'targets.[].connection_id');
  const post = { text: 'x', targets: [{ connection_id: 'a', title: 't' }] };
  expect(createInputsWithId(named('createPost'), target, post, 'b', 'c')).toEqual([
    { text: 'x', targets: [{ connection_id: 'b', title: 't' }] },
    { text: 'x', targets: [post.targets[0], { connection_id: 'b', title: 't' }] },
  ]);
});

test('excludes exactly the fields that name no resource of ours', () => {
  const fields = JSON.stringify(
    catalog.map(({ input }) => input.toJSONSchema({ io: 'input', unrepresentable: 'any' })),
  );
  for (const path of platformIdFields) expect(fields).toContain(`"${path.split('.').at(-1)}"`);
});
