import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { catalog } from '../catalog.js';
import { describeIssue, problemsOf } from './field-problems.js';

/** Values that break types, formats, lengths, ranges and lists of values. */
const values: readonly unknown[] = [
  undefined,
  null,
  true,
  -1e9,
  1.5,
  1e12,
  '',
  'x',
  '2026-13-45',
  'x'.repeat(200_001),
  [],
  [null],
  Array.from({ length: 2000 }, () => 'x'),
  Array.from({ length: 2000 }, () => null),
  {},
  { misplaced: 1 },
  { ['x'.repeat(500)]: 'x' },
  { connection_id: 7 },
];

/** A schema and every schema in it. */
function* schemasIn(schema: z.core.$ZodType): Generator<z.core.$ZodType> {
  // A transformation runs only on what its schema accepts, and a refinement, which is a schema too, likewise.
  if (schema._zod.def.type === 'transform') return;
  yield schema;
  const { checks: _, ...def } = schema._zod.def;
  const parts: readonly unknown[] = Object.values(def).flat();
  for (const part of parts) if (part instanceof z.core.$ZodType) yield* schemasIn(part);
  if (schema instanceof z.ZodObject) {
    for (const field of Object.values<z.core.$ZodType>(schema.shape)) yield* schemasIn(field);
  }
}

const schemas = [
  ...new Set(catalog.flatMap(({ input, mcpInput }) => [...schemasIn(input), ...schemasIn(mcpInput)])),
];
const issuesOf = (schema: z.core.$ZodType, value: unknown) =>
  z.core.safeParse(schema, value, { reportInput: true, error: describeIssue }).error?.issues ?? [];

/** How the schema library begins its own sentences. */
const RAW = /^(Invalid|Too (big|small)|Unrecognized|Expected|Required)|expected|received/;

test('no input of an operation gets a sentence of the schema library', () => {
  const seen = new Set<string>();
  for (const schema of schemas) {
    for (const issue of values.flatMap((value) => issuesOf(schema, value))) {
      seen.add(issue.code);
      for (const { message, code } of problemsOf(issue)) {
        expect(message).not.toMatch(RAW);
        expect(message).not.toMatch(/as documented|documented format/);
        expect(code).toMatch(/^field\./);
      }
    }
  }
  expect([...seen].sort()).toEqual([
    'custom',
    'invalid_format',
    'invalid_key',
    'invalid_type',
    'invalid_union',
    'invalid_value',
    'too_big',
    'too_small',
    'unrecognized_keys',
  ]);
});

describe('says what to send', () => {
  const cases: readonly (readonly [schema: z.ZodType, value: unknown, code: string, message: string])[] = [
    [z.string(), undefined, 'field.required', 'is required'],
    [
      z.string({ error: 'returned by quote_refund' }),
      undefined,
      'field.required',
      'is required: returned by quote_refund',
    ],
    [z.union([z.string(), z.int()]), undefined, 'field.required', 'is required'],
    [z.string(), 7, 'field.invalid_type', 'must be a string, not a number'],
    [z.int(), 1.5, 'field.invalid_type', 'must be a whole number, not 1.5'],
    [z.boolean(), 'yes', 'field.invalid_type', 'must be true or false, not a string'],
    [z.array(z.string()), {}, 'field.invalid_type', 'must be a list, not an object'],
    [z.strictObject({}), null, 'field.invalid_type', 'must be an object, not null'],
    [z.enum(['a', 'b', 'c']), 'd', 'field.invalid_value', 'must be "a", "b" or "c"'],
    [z.literal('all'), 'some', 'field.invalid_value', 'must be "all"'],
    [z.string().min(1), '', 'field.too_small', 'must not be empty'],
    [z.string().min(3), 'x', 'field.too_small', 'must have at least 3 characters'],
    [z.string().length(2), 'x', 'field.too_small', 'must have exactly 2 characters'],
    [z.string().max(1), 'xx', 'field.too_big', 'must have at most 1 character'],
    [z.array(z.string()).max(0), ['x'], 'field.too_big', 'must have at most 0 items'],
    [z.int().min(1), 0, 'field.too_small', 'must be at least 1'],
    [z.int().max(100), 101, 'field.too_big', 'must be at most 100'],
    [z.number().gt(0), 0, 'field.too_small', 'must be greater than 0'],
    [z.number().lt(1), 1, 'field.too_big', 'must be less than 1'],
    [z.number().multipleOf(5), 7, 'field.not_multiple_of', 'must be a multiple of 5'],
    [z.iso.date(), 'x', 'field.invalid_format', 'must be a date such as 2026-12-01'],
    [
      z.record(z.string().max(1), z.string()),
      { xx: '' },
      'field.invalid_key',
      'has a key that must have at most 1 character',
    ],
    [z.set(z.string()), new Set([7]), 'field.invalid_type', 'must be a string, not a number'],
    [
      z.union([z.string().max(1), z.int()]),
      true,
      'field.invalid',
      'must be a string, not true, or must be a number, not true',
    ],
    [
      z.string().refine(() => false, 'a color such as #1a73e8'),
      'x',
      'field.invalid',
      'a color such as #1a73e8',
    ],
    [z.strictObject({}), { color: 1 }, 'field.unknown', 'unknown field'],
  ];
  test.each(cases.map(([schema, value, ...problem]) => [...problem, schema, value] as const))(
    '%s: %s',
    (code, message, schema, value) => {
      expect(issuesOf(schema, value).flatMap((issue) => problemsOf(issue))).toMatchObject([
        { code, message },
      ]);
    },
  );
});
