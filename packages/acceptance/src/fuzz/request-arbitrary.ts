import fc from 'fast-check';
import { asObject, type JsonObject } from '../support/json.js';
import { resolveSchema, type ApiOperation, type JsonSchema } from './api-document.js';
import { PICKS, valueArbitrary, type ValueContext } from './value-arbitrary.js';

/** How a request deviates from the document; `at` selects one of the places where it can. */
export type Mutation =
  | { readonly kind: 'replace_value'; readonly at: number; readonly value: unknown }
  | { readonly kind: 'lengthen_value'; readonly at: number; readonly length: number }
  | { readonly kind: 'add_field'; readonly at: number; readonly name: string; readonly value: unknown }
  | { readonly kind: 'remove_field'; readonly at: number }
  | { readonly kind: 'replace_body'; readonly text: string }
  | { readonly kind: 'truncate_body'; readonly share: number }
  | { readonly kind: 'set_header'; readonly name: string; readonly value: string }
  | { readonly kind: 'add_query'; readonly text: string }
  | { readonly kind: 'replace_path_parameter'; readonly at: number; readonly text: string }
  | { readonly kind: 'replace_method'; readonly at: number }
  | { readonly kind: 'replace_key'; readonly at: number };

/** A request before IDs, ETags, cursors and idempotency keys of the installation are filled in. */
export interface RequestPlan {
  readonly operation: ApiOperation;
  readonly path: JsonObject;
  readonly query: JsonObject;
  /** Null: no body is sent. */
  readonly body: { readonly type: string; readonly value: unknown } | null;
  /** Each selects whether and how the request uses a header, below `PICKS`. */
  readonly idempotency: number;
  readonly condition: number;
  readonly cursor: number;
  readonly wait: string | null;
  readonly mutations: readonly Mutation[];
}

/** Texts that have broken parsers, templates, queries and databases elsewhere. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\u202eevil',
  '\ufeff',
  '\u0007\u001b[31m',
  '\r\nX-Injected: 1',
  '👩‍👩‍👧‍👦'.repeat(20),
  'Ａ\u0301\u0301\u0301',
  "' OR 1=1 --",
  '"; DROP TABLE posts; --',
  '${7*7}{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '%00%0a%2e%2e%2f',
  '__proto__',
  'null',
  'NaN',
  '1e309',
  '-1',
  '2026-13-45T99:99:99Z',
  '0000-00-00',
  '9999-12-31T23:59:59.999Z',
  '-000001-01-01T00:00:00Z',
  '٣',
  'Europe/Nowhere',
];

const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  -(2 ** 63),
  [],
  {},
  [[[[[[]]]]]],
  [null],
  { $gt: '' },
  { toString: 1 },
];

const FIELD_NAMES = [
  'colour',
  '',
  '__proto__',
  'constructor',
  'toString',
  'id',
  'workspace_id',
  'a'.repeat(500),
  '\u0000',
];

const HOSTILE_BODIES = [
  'null',
  '[]',
  '""',
  '0',
  '{',
  '}',
  '{"a":1,"a":2}',
  '{"a":1}{"b":2}',
  "{'a':1}",
  '\ufeff{}',
  '{"a":NaN}',
  '{"a":1e999}',
  '{"\\u0000":"\\u0000"}',
  '{"a":"\\ud800"}',
  '{"__proto__":{"admin":true}}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  `{"text":"${'x'.repeat(300_000)}"}`,
  `{"text":"${'x'.repeat(1_100_000)}"}`,
  '\u0000',
];

const HOSTILE_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ...[
    'text/plain',
    'application/xml',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json;charset=UTF-8',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    '',
    '*/*',
    'application/json, text/plain',
  ].map((value) => ['content-type', value] as const),
  ...['gzip', 'br', 'deflate', 'zstd', 'identity', 'gzip, gzip'].map(
    (value) => ['content-encoding', value] as const,
  ),
  ...['text/csv', 'application/xml', 'text/html', '', '*/*;q=0', 'application/json;q=0, */*'].map(
    (value) => ['accept', value] as const,
  ),
  ...['', ' ', 'x'.repeat(256), 'x'.repeat(5000), 'é', 'a,b', '\t'].map(
    (value) => ['idempotency-key', value] as const,
  ),
  ...['', '*', '"', 'W/"1"', '"1", "2"', 'x'.repeat(5000), '\u00ff'].flatMap((value) => [
    ['if-match', value] as const,
    ['if-none-match', value] as const,
  ]),
  ...[
    '',
    'wait',
    'wait=',
    'wait=-1',
    'wait=abc',
    'wait=0.5',
    'respond-async',
    'wait=0, wait=1',
    'wait=0;a',
  ].map((value) => ['prefer', value] as const),
  ['accept-language', 'x'.repeat(2000)],
  ['x-forwarded-for', '10.0.0.1, '.repeat(50)],
  ['x-request-id', 'mine\u00ff'],
  ['origin', 'https://evil.example'],
  ['range', 'bytes=0-1'],
  ['x-http-method-override', 'DELETE'],
];

const HOSTILE_PATH_PARAMETERS = [
  '%00',
  '%2e%2e',
  '..',
  '.',
  '%2F',
  '%zz',
  '%ff',
  '%F0%9F%98%80',
  'x'.repeat(3000),
  "'%20OR%201=1",
  '*',
  ';a=b',
  '%3F',
  '__proto__',
  '0',
];

const HOSTILE_QUERIES = [
  'colour=red',
  '__proto__=1',
  '__proto__[a]=1',
  'limit=0',
  'limit=101',
  'limit=1e2',
  'limit=1&limit=2',
  'limit=',
  'limit[$gt]=1',
  'cursor=',
  'cursor=x',
  `cursor=${'x'.repeat(5000)}`,
  'cursor=eyJhIjoxfQ',
  'metadata[a]=1&metadata[b]=2',
  'metadata.a=1',
  'metadata=1',
  'metadata[]=1',
  'metadata[__proto__]=1',
  'status=',
  'status=,,',
  'status=a%00b',
  'created_after=%00',
  'profile_id=%ff',
  '%zz=%zz',
  '=',
  '&&&',
  'a'.repeat(6000),
];

const at = fc.nat(PICKS - 1);
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('replace_value' as const),
      at,
      value: fc.oneof(
        fc.constantFrom(...HOSTILE_TEXTS),
        fc.constantFrom(...HOSTILE_VALUES),
        fc.jsonValue({ maxDepth: 2 }),
        fc.string({ unit: 'binary', maxLength: 60 }),
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('lengthen_value' as const),
      at,
      length: fc.constantFrom(41, 65, 201, 256, 501, 1001, 2049, 5001, 70_000, 100_001, 400_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('add_field' as const),
      at,
      name: fc.oneof(fc.constantFrom(...FIELD_NAMES), fc.string({ unit: 'binary', maxLength: 20 })),
      value: fc.constantFrom<unknown>('x', 1, null, {}, []),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove_field' as const), at }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('replace_body' as const),
      text: fc.oneof(
        fc.constantFrom(...HOSTILE_BODIES),
        fc.json(),
        fc.string({ unit: 'binary', maxLength: 100 }),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('truncate_body' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...HOSTILE_HEADERS)
      .map(([name, value]) => ({ kind: 'set_header' as const, name, value })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('add_query' as const),
      text: fc.oneof(fc.constantFrom(...HOSTILE_QUERIES), fc.webQueryParameters()),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('replace_path_parameter' as const),
      at,
      text: fc.oneof(
        fc.constantFrom(...HOSTILE_PATH_PARAMETERS),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map((text) => encode(text)),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace_method' as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace_key' as const), at }) },
);

const mutations = fc.oneof(
  { weight: 11, arbitrary: fc.constant([]) },
  { weight: 7, arbitrary: fc.tuple(mutation) },
  { weight: 2, arbitrary: fc.tuple(mutation, mutation) },
);

/** Requests of one operation: half of them as the document describes them, the others changed. */
export function requestArbitrary(context: ValueContext, operation: ApiOperation): fc.Arbitrary<RequestPlan> {
  const valuesIn = (place: 'path' | 'query') => {
    const parameters = operation.parameters.filter((parameter) => parameter.in === place);
    const properties = Object.fromEntries(
      parameters.map(({ name, schema, example }) => [name, withExample(schema, example)]),
    );
    const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    return valueArbitrary(context, { type: 'object', properties, required }) as fc.Arbitrary<JsonObject>;
  };
  const bodies = [...operation.bodies].map(([type, schema]) => {
    const generated = valueArbitrary(context, schema);
    const values =
      type === 'application/json' && operation.bodyExample
        ? fc.oneof(generated, exampleArbitrary(context, operation.bodyExample, schema, generated))
        : generated;
    return values.map((value) => ({ type, value }));
  });
  const canWait = operation.parameters.some(({ name }) => name === 'Prefer');
  return fc.record({
    operation: fc.constant(operation),
    path: valuesIn('path'),
    query: valuesIn('query'),
    body: bodies.length === 0 ? fc.constant(null) : fc.oneof(...bodies),
    idempotency: at,
    condition: at,
    cursor: at,
    wait: canWait
      ? fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.constantFrom('wait=0', 'wait=1', 'wait=2'))
      : fc.constant(null),
    mutations,
  });
}

/** The document's example with IDs of the installation, alone or with one generated field. */
function exampleArbitrary(
  context: ValueContext,
  example: JsonObject,
  schema: JsonSchema,
  generated: fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const { properties = {} } = resolveSchema(context.document, schema);
  return fc
    .record({ pick: at, share: at, text: fc.string({ minLength: 1, maxLength: 40 }), other: generated })
    .map(({ pick, share, text, other }) => {
      const names = Object.keys(asObject(other));
      const name = names[share % Math.max(names.length, 1)];
      return {
        ...asObject(insertPlaceholders(context, example, pick)),
        ...('profile_id' in asObject(properties) && { profile_id: { $id: 'prf', pick } }),
        // The same text twice is rejected.
        ...('text' in example && { text }),
        ...(share < 0.5 * PICKS && name !== undefined && { [name]: asObject(other)[name] }),
      };
    });
}

function insertPlaceholders(context: ValueContext, value: unknown, pick: number): unknown {
  if (typeof value === 'string') {
    const prefix = /^([a-z]{3})_[\w-]{20,}$/.exec(value)?.[1];
    if (prefix !== undefined) return { $id: prefix, pick };
    return context.platforms.includes(value) ? { $id: 'platform', pick } : value;
  }
  if (Array.isArray(value)) return value.map((one) => insertPlaceholders(context, one, pick));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    ([name, one]) => [name, insertPlaceholders(context, one, pick)] as const,
  );
  // With several profiles, a post must name one.
  return Object.fromEntries(
    'targets' in value ? [...entries, ['profile_id', { $id: 'prf', pick }]] : entries,
  );
}

/** A parameter has its example beside its schema. */
const withExample = (schema: JsonObject, example: unknown): JsonObject =>
  example === undefined || Array.isArray(example) || typeof example === 'object'
    ? schema
    : { ...schema, examples: [example] };

/** Percent-encodes any text, also one that is not valid Unicode. */
export const encode = (text: string): string => encodeURIComponent(text.toWellFormed());
