import { expect, test } from '@jest/globals';
import { catalogue, type Operation, type Toolset } from '@switchboard/operations';
import { choose, holds, narrow, outOfReach, type Wish } from './narrowing.js';

const nothing: Wish = { toolsets: null, readOnly: false };
const only = (...toolsets: string[]): Wish => ({ toolsets, readOnly: false });
const reading: Wish = { toolsets: null, readOnly: true };

test('nobody choosing means social, commerce and connections', () => {
  expect(choose(nothing, nothing)).toEqual({
    ok: true,
    value: { toolsets: ['social', 'commerce', 'connections'], readOnly: false },
  });
});

test('an operator may choose administration too, and flags keep within the environment', () => {
  expect(choose(only('admin', 'social'), nothing)).toMatchObject({
    value: { toolsets: ['social', 'admin'] },
  });
  expect(choose(only('social'), only('social', 'admin'))).toMatchObject({ value: { toolsets: ['social'] } });
});

test('a client can take toolsets away and never add one', () => {
  const chosen = { toolsets: ['social', 'commerce'] as const, readOnly: false };
  expect(narrow(chosen, only('commerce', 'admin'))).toMatchObject({ value: { toolsets: ['commerce'] } });
  expect(narrow(chosen, only('admin'))).toMatchObject({ value: { toolsets: [] } });
  expect(narrow(chosen, only('every'))).toMatchObject({ value: { toolsets: [] } });
});

test('reading only, once said by anybody, stays', () => {
  expect(choose(reading, nothing)).toMatchObject({ value: { readOnly: true } });
  expect(narrow({ toolsets: [], readOnly: true }, nothing)).toMatchObject({ value: { readOnly: true } });
  expect(narrow({ toolsets: [], readOnly: false }, reading)).toMatchObject({ value: { readOnly: true } });
});

test('a toolset that does not exist is refused and those that do are named', () => {
  expect(choose(only('sociable'))).toMatchObject({
    ok: false,
    failure: {
      code: 'request.invalid',
      message: expect.stringContaining('social, commerce, connections, admin'),
    },
  });
});

test.each(catalogue.map((operation) => [operation.name, operation] as const))(
  'reading only leaves %s in reach when it changes nothing, and not otherwise',
  (_name, operation) => {
    const everything: Toolset[] = ['social', 'commerce', 'connections', 'admin'];
    const reachable = outOfReach(operation, { toolsets: everything, readOnly: true }) === null;
    const harmless =
      operation.effect === 'read' || ['validate_post', 'quote_refund'].includes(operation.tool ?? '');
    expect(reachable).toBe(harmless);
  },
);

test('tools of every set are in reach when no set is', () => {
  const none = { toolsets: [], readOnly: false };
  const left = catalogue.filter((operation) => outOfReach(operation, none) === null);
  expect(left.length).toBeGreaterThan(0);
  expect(left.every(({ toolset }) => toolset === 'every')).toBe(true);
});

test('a key that may write posts may read them; one without the scope may not', () => {
  const reads = { ...(catalogue[0] as Operation), scope: 'posts:read' } as Operation;
  expect(holds(reads, ['posts:write'])).toBe(true);
  expect(holds(reads, ['orders:read'])).toBe(false);
  expect(holds({ ...reads, scope: 'any' }, [])).toBe(true);
});
