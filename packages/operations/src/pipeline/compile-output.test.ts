import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { catalog } from '../catalog.js';
import { parseOutput } from './compile-output.js';

type Outcome = { readonly text: string; readonly value: unknown } | { readonly issues: unknown };

const outcomeOf = (parse: () => unknown): Outcome => {
  try {
    const value = parse();
    return { text: JSON.stringify(value), value };
  } catch (error) {
    if (error instanceof z.ZodError) return { issues: error.issues };
    throw error;
  }
};

const expectSame = (schema: z.ZodType, value: unknown) =>
  expect(outcomeOf(() => parseOutput(schema, value))).toStrictEqual(outcomeOf(() => schema.parse(value)));

const others = [undefined, null, 'text', 0.5, 2 ** 60, true, ['x'], [null], { x: 1 }, new Date(0)];

/** The value with one part of it replaced, for every part and every replacement; and with a field too many. */
function* variants(value: unknown): Generator<unknown> {
  yield* others;
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries())
      for (const variant of variants(element)) yield value.with(index, variant);
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, unexpected: 'secret' };
    for (const [key, inner] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
      for (const variant of variants(inner)) yield { ...value, [key]: variant };
    }
  }
}

test.each(catalog.map((operation) => [operation.name, operation] as const))(
  '%s: every variant of its example is returned or refused as by Zod',
  (_name, { output, example }) => {
    expectSame(output, example.output);
    for (const variant of variants(example.output)) expectSame(output, variant);
  },
);

test.each<[string, z.ZodType, unknown]>([
  ['a null', z.object({ a: z.string().nullable() }), { a: null }],
  [
    'an optional field that is present without a value',
    z.object({ a: z.string().optional() }),
    { a: undefined },
  ],
  ['a field of any type that is missing', z.object({ a: z.unknown() }), {}],
  ['a text with a check', z.object({ a: z.string().min(3) }), { a: 'ab' }],
  ['a date', z.object({ a: z.iso.date() }), { a: '2026-02-30' }],
  ['an object that keeps other fields', z.looseObject({ a: z.string() }), { a: 'x', b: 1 }],
  ['an object that refuses other fields', z.strictObject({ a: z.string() }), { a: 'x', b: 1 }],
  ['a record with checked keys', z.record(z.string().min(2), z.int()), { a: 1 }],
  ['a record with an inherited name', z.record(z.string(), z.int()), JSON.parse('{"__proto__":1,"a":2}')],
  [
    'a record that is a class',
    z.record(z.string(), z.string()),
    new (class {
      a = 'x';
    })(),
  ],
  ['a list with a hole', z.array(z.string().optional()), new Array(2)],
  ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.int() })]), { b: 1, c: 2 }],
  ['a field whose name is no identifier', z.object({ 'a"b\n': z.string() }), { 'a"b\n': 'x' }],
])('%s is parsed as by Zod', (_what, schema, value) => {
  expectSame(schema, value);
});

test('a field that the schema does not declare is never returned', () => {
  const schema = z.object({ account: z.object({ id: z.string() }) });
  const value = { account: { id: 'a', token: 'secret' }, token: 'secret' };
  expect(parseOutput(schema, value)).toStrictEqual({ account: { id: 'a' } });
});

test('what a getter throws is not hidden', () => {
  const value = {
    get a(): string {
      throw new RangeError('broken');
    },
  };
  expect(() => parseOutput(z.object({ a: z.string() }), value)).toThrow(RangeError);
});
