import { expect, test } from '@jest/globals';
import { catalog, type Operation, type Toolset } from '@switchboard/operations';
import {
  createToolFilter,
  hasScope,
  narrowToolFilter,
  findExclusion,
  type ToolFilterInput,
} from './tool-filter.js';

const noInput: ToolFilterInput = { toolsets: null, readOnly: false };
const only = (...toolsets: string[]): ToolFilterInput => ({ toolsets, readOnly: false });
const readOnly: ToolFilterInput = { toolsets: null, readOnly: true };

test('the default is social, commerce and connections', () => {
  expect(createToolFilter(noInput, noInput)).toEqual({
    ok: true,
    value: { toolsets: ['social', 'commerce', 'connections'], readOnly: false },
  });
});

test('an operator may enable administration too, and flags stay within the environment', () => {
  expect(createToolFilter(only('admin', 'social'), noInput)).toMatchObject({
    value: { toolsets: ['social', 'admin'] },
  });
  expect(createToolFilter(only('social'), only('social', 'admin'))).toMatchObject({
    value: { toolsets: ['social'] },
  });
});

test('a client can remove toolsets and never add one', () => {
  const chosen = { toolsets: ['social', 'commerce'] as const, readOnly: false };
  expect(narrowToolFilter(chosen, only('commerce', 'admin'))).toMatchObject({
    value: { toolsets: ['commerce'] },
  });
  expect(narrowToolFilter(chosen, only('admin'))).toMatchObject({ value: { toolsets: [] } });
  expect(narrowToolFilter(chosen, only('every'))).toMatchObject({ value: { toolsets: [] } });
});

test('a request without headers keeps the filter of the server, by which the visible tools of a key are cached', () => {
  const chosen = { toolsets: ['social', 'commerce'] as const, readOnly: false };
  const narrowed = narrowToolFilter(chosen);
  expect(narrowed.ok && narrowed.value).toBe(chosen);
});

test('read-only, once set anywhere, stays', () => {
  expect(createToolFilter(readOnly, noInput)).toMatchObject({ value: { readOnly: true } });
  expect(narrowToolFilter({ toolsets: [], readOnly: true }, noInput)).toMatchObject({
    value: { readOnly: true },
  });
  expect(narrowToolFilter({ toolsets: [], readOnly: false }, readOnly)).toMatchObject({
    value: { readOnly: true },
  });
});

test('rejects an unknown toolset and names the known ones', () => {
  expect(createToolFilter(only('sociable'))).toMatchObject({
    ok: false,
    failure: {
      code: 'request.invalid',
      message: expect.stringContaining('social, commerce, connections, admin'),
    },
  });
});

const served = catalog.filter(({ toolset }) => toolset !== null);

test.each(served.map((operation) => [operation.name, operation] as const))(
  'a read-only server offers %s when it changes nothing, and not otherwise',
  (_name, operation) => {
    const everything: Toolset[] = ['social', 'commerce', 'connections', 'admin'];
    const reachable = findExclusion(operation, { toolsets: everything, readOnly: true }) === null;
    const harmless =
      operation.effect === 'read' || ['validate_post', 'quote_refund'].includes(operation.tool ?? '');
    expect(reachable).toBe(harmless);
  },
);

test('offers the tools of every toolset when none is selected', () => {
  const none = { toolsets: [], readOnly: false };
  const left = served.filter((operation) => findExclusion(operation, none) === null);
  expect(left.length).toBeGreaterThan(0);
  expect(left.every(({ toolset }) => toolset === 'every')).toBe(true);
});

test('a key that may write posts may read them; a key without the scope may not', () => {
  const reads = { ...(catalog[0] as Operation), scope: 'posts:read' } as Operation;
  expect(hasScope(reads, ['posts:write'])).toBe(true);
  expect(hasScope(reads, ['orders:read'])).toBe(false);
  expect(hasScope({ ...reads, scope: 'any' }, [])).toBe(true);
});

test('a chart, which has no tool of its own, is not hidden by a toolset', () => {
  const charts = catalog.flatMap(({ image }) => (image ? [image.of] : []));
  expect(charts.length).toBeGreaterThan(0);
  for (const chart of charts)
    expect(findExclusion(chart, { toolsets: ['social'], readOnly: true })).toBeNull();
});
