import { expect, test } from '@jest/globals';
import { catalog, type Operation } from '@switchboard/operations';
import { readArguments } from './arguments.js';
import { deriveTools, type JsonObject } from './tool.js';

const named = (name: string) => catalog.find((operation) => operation.name === name) as Operation;
const settling = (operation: Operation): Operation => ({
  ...operation,
  settling: {
    isSettled: () => true,
    readAgain: async (_ports, _call, value) => ({ ok: true, value }),
    progress: () => ({ done: 1, total: 1, message: 'Done.' }),
    mcpWaitSeconds: 10,
  },
});

test('separates from the arguments what is a header on REST', () => {
  const given = { name: 'Lumen', idempotency_key: 'k1', wait_seconds: 3 };
  expect(readArguments(settling(named('createProfile')), given)).toEqual({
    input: { ok: true, value: { name: 'Lumen' } },
    idempotencyKey: 'k1',
    waitSeconds: 3,
    requestsWait: true,
    detail: false,
  });
});

test('waits as long as the operation suggests when the agent sets no wait', () => {
  expect(readArguments(settling(named('createProfile')), {})).toMatchObject({ waitSeconds: 10 });
  expect(readArguments(named('createProfile'), {})).toMatchObject({ waitSeconds: undefined });
});

test('an argument that the tool does not have stays in the input, which rejects it', () => {
  const given = { idempotency_key: 'k1', wait_seconds: 3 };
  expect(readArguments(named('listProfiles'), given)).toMatchObject({ input: { value: given } });
});

test.each([
  [{ wait_seconds: 31 }, 'wait_seconds'],
  [{ wait_seconds: '5' }, 'wait_seconds'],
  [{ wait_seconds: -1 }, 'wait_seconds'],
  [{ idempotency_key: 7 }, 'idempotency_key'],
])('rejects %j and names the field', (given, path) => {
  expect(readArguments(settling(named('createProfile')), given).input).toMatchObject({
    ok: false,
    failure: { code: 'request.invalid', problems: [{ path }] },
  });
});

test('a tool lists these arguments exactly when it accepts them', () => {
  const fields = (operation: Operation) =>
    Object.keys(deriveTools([operation], [])[0]?.tool.inputSchema['properties'] as object);
  expect(fields(settling(named('createProfile')))).toEqual(
    expect.arrayContaining(['idempotency_key', 'wait_seconds']),
  );
  expect(fields(named('listProfiles'))).not.toEqual(expect.arrayContaining(['idempotency_key']));
});

const inputOf = (name: string, given: Readonly<Record<string, unknown>>) =>
  readArguments(named(name), given).input;

test.each<[string, string, JsonObject, object]>([
  ['null', 'listConnections', { kind: null, status: null, limit: null }, {}],
  ['an empty text', 'listConnections', { profile_id: '', external_id: '', cursor: '' }, {}],
  ['an empty list', 'listConnections', { platform: [], status: [] }, {}],
  [
    'null in a list of objects',
    'createPost',
    { targets: [{ platform: 'x', connection_id: null, media: null }] },
    { targets: [{ platform: 'x' }] },
  ],
  [
    'an empty id in a list of objects',
    'createPost',
    { targets: [{ platform: 'x', connection_id: '' }] },
    { targets: [{ platform: 'x' }] },
  ],
  [
    'null in nested lists',
    'createPost',
    { media: [{ media_id: 'med_1', url: null }], thread: [{ text: 'a', media: null }] },
    { media: [{ media_id: 'med_1' }], thread: [{ text: 'a' }] },
  ],
  ['a filter of an empty text', 'listOrders', { email: '', number: '', currency: '', created_after: '' }, {}],
])('%s for an optional argument counts as omitted (finding 54)', (_what, name, given, input) => {
  expect(inputOf(name, given)).toEqual({ ok: true, value: input });
});

test('the arguments of MCP may be empty too', () => {
  const given = { name: 'Lumen', idempotency_key: '', wait_seconds: null };
  expect(readArguments(settling(named('createProfile')), given)).toEqual({
    input: { ok: true, value: { name: 'Lumen' } },
    idempotencyKey: undefined,
    waitSeconds: 10,
    requestsWait: false,
    detail: false,
  });
});

test.each<[string, string, JsonObject]>([
  ['null clears a field', 'updatePost', { id: 'pst_1', link: null, not_after: null, scheduled_at: null }],
  ['an empty text and list replace', 'updatePost', { id: 'pst_1', text: '', media: [], thread: [] }],
  ['null removes a link of one target', 'createPost', { targets: [{ platform: 'x', link: null, text: '' }] }],
  ['null removes a label', 'updateConnection', { id: 'con_1', label: null, external_id: null }],
])('where the value has a meaning, it stays: %s', (_what, name, given) => {
  expect(inputOf(name, given)).toEqual({ ok: true, value: given });
});

test.each<[string, string, JsonObject]>([
  ['a required argument', 'getPost', { id: null }],
  ['no targets at all', 'createPost', { text: 'Hi', targets: [] }],
  ['a selection of nothing to delete', 'unpublishPost', { id: 'pst_1', delivery_ids: [] }],
  ['a refund of no lines', 'quoteRefund', { order_id: 'ord_1', line_items: [] }],
  ['an unknown argument', 'getPost', { id: 'pst_1', nonsense: null }],
])('%s stays, and is rejected', (_what, name, given) => {
  expect(inputOf(name, given)).toEqual({ ok: true, value: given });
  expect(named(name).mcpInput.safeParse(given).success).toBe(false);
});

test.each<[string, string, JsonObject, object]>([
  ['a text', 'listConnections', { platform: 'x', status: 'active' }, { platform: ['x'], status: ['active'] }],
  [
    'an object',
    'createPost',
    { media: { url: 'https://a.example/b.png' }, targets: { platform: 'x' } },
    { media: [{ url: 'https://a.example/b.png' }], targets: [{ platform: 'x' }] },
  ],
  ['the word of a union', 'createPost', { targets: 'all' }, { targets: 'all' }],
  [
    'an amount',
    'quoteRefund',
    {
      order_id: 'ord_1',
      line_items: { id: '1', quantity: 1 },
      shipping: 'full',
      amount: { amount: '1.00', currency: 'EUR' },
    },
    {
      order_id: 'ord_1',
      line_items: [{ id: '1', quantity: 1 }],
      shipping: 'full',
      amount: { amount: '1.00', currency: 'EUR' },
    },
  ],
])('%s for a list is a list of one', (_what, name, given, input) => {
  expect(inputOf(name, given)).toEqual({ ok: true, value: input });
});
