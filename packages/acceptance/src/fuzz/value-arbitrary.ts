import fc from 'fast-check';
import { asObject, type JsonObject } from '../support/json.js';
import { resolveSchema, type JsonSchema } from './api-document.js';

/** A place for an ID, filled in when the request is sent: IDs differ between installations. */
export interface IdPlaceholder {
  /** The prefix of the kind of resource, or `platform`. */
  readonly $id: string;
  readonly pick: number;
}

/** A place for the bytes of an uploaded file. */
export interface FilePlaceholder {
  readonly $file: number;
}

export const PICKS = 1000;
const DAY_MS = 86_400_000;
const LONG_TEXT = 300;

/** What a schema does not state. */
export interface ValueContext {
  readonly document: JsonObject;
  readonly platforms: readonly string[];
  /** Around which dates are generated. */
  readonly now: Date;
}

/** Values that satisfy a schema: mostly plain ones, some at its limits. */
export function valueArbitrary(
  context: ValueContext,
  schema: JsonSchema,
  example?: unknown,
): fc.Arbitrary<unknown> {
  const { $ref, ...plain } = schema;
  if ($ref !== undefined) return valueArbitrary(context, resolveSchema(context.document, schema), example);
  if (Array.isArray(plain['anyOf']))
    return fc.oneof(...(plain['anyOf'] as JsonSchema[]).map((one) => valueArbitrary(context, one, example)));
  if ('const' in plain) return fc.constant(plain['const']);
  if (Array.isArray(plain['enum'])) return fc.constantFrom(...(plain['enum'] as unknown[]));
  if (Array.isArray(plain['type']))
    return fc.oneof(
      ...(plain['type'] as string[]).map((type) => valueArbitrary(context, { ...plain, type }, example)),
    );
  switch (plain['type']) {
    case 'string':
      return textArbitrary(context, plain, (plain['examples'] as unknown[] | undefined)?.[0] ?? example);
    case 'integer':
      return integerArbitrary(plain);
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valueArbitrary(context, asObject(plain['items'])), {
        minLength: (plain['minItems'] as number | undefined) ?? 0,
        maxLength: Math.max(
          (plain['minItems'] as number | undefined) ?? 0,
          Math.min((plain['maxItems'] as number | undefined) ?? 3, 3),
        ),
      });
    case 'object':
      return objectArbitrary(context, plain);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function integerArbitrary(schema: JsonSchema): fc.Arbitrary<number> {
  const min = (schema['minimum'] as number | undefined) ?? 0;
  const max = (schema['maximum'] as number | undefined) ?? 1_000_000;
  return fc.oneof(fc.integer({ min, max: Math.min(max, min + 100) }), fc.integer({ min, max }));
}

/** Mostly with few optional fields: many fields at once exclude each other. */
function objectArbitrary(context: ValueContext, schema: JsonSchema): fc.Arbitrary<JsonObject> {
  const properties = asObject(schema['properties'] ?? {});
  const values = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, valueArbitrary(context, asObject(one))]),
  );
  const names = Object.keys(values);
  const additional = schema['additionalProperties'];
  if (names.length === 0 && typeof additional === 'object')
    return fc.dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), valueArbitrary(context, asObject(additional)), {
      maxKeys: 3,
      noNullPrototype: true,
    });
  const required = (schema['required'] as string[] | undefined) ?? [];
  const optional = names.filter((name) => !required.includes(name));
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.subarray(optional, { maxLength: Math.min(3, optional.length) }) },
      { weight: 1, arbitrary: fc.subarray(optional) },
    )
    .chain((chosen) =>
      fc.record(
        Object.fromEntries([...required, ...chosen].map((name) => [name, values[name] ?? fc.string()])),
      ),
    );
}

function textArbitrary(context: ValueContext, schema: JsonSchema, example: unknown): fc.Arbitrary<unknown> {
  const pick = fc.nat(PICKS - 1);
  const prefix = typeof example === 'string' ? /^([a-z]{3})_[\w-]{20,}$/.exec(example)?.[1] : undefined;
  if (prefix !== undefined) return pick.map((one): IdPlaceholder => ({ $id: prefix, pick: one }));
  if (typeof example === 'string' && context.platforms.includes(example))
    return pick.map((one): IdPlaceholder => ({ $id: 'platform', pick: one }));
  const { format, pattern } = schema;
  if (format === 'binary') return pick.map((one): FilePlaceholder => ({ $file: one }));
  const dates = fc
    .integer({ min: -40 * DAY_MS, max: 60 * DAY_MS })
    .map((offset) => new Date(context.now.getTime() + offset).toISOString());
  if (format === 'date-time') return dates;
  if (format === 'date') return dates.map((date) => date.slice(0, 10));
  if (format === 'email')
    return fc.oneof(fc.constantFrom('maren.holt@example.com', 'A@EXAMPLE.com'), fc.emailAddress());
  if (format === 'uri') return addressArbitrary(example);
  if (typeof pattern === 'string') {
    const matching = fc.stringMatching(new RegExp(pattern));
    const isTime = new RegExp(pattern).test(context.now.toISOString());
    const plain = isTime
      ? fc.oneof(
          dates,
          dates.map((date) => date.slice(0, 19)),
        )
      : new RegExp(pattern).test('1.00')
        ? fc.constantFrom('1.00', '0.01', '5', '0', '0.001', '99999999999999.99')
        : fc.constant(example ?? null);
    const isUsable = isTime || new RegExp(pattern).test('1.00') || typeof example === 'string';
    return isUsable
      ? fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: matching })
      : matching;
  }
  return plainTextArbitrary(schema, example);
}

/** No address leads outside: those with a host are private or reserved. */
const addressArbitrary = (example: unknown) =>
  fc.oneof(
    fc.constantFrom(
      ...(typeof example === 'string' ? [example] : []),
      'https://127.0.0.1:1/a.png',
      'https://[::1]/a.png',
      'https://169.254.169.254/latest/meta-data/',
      'https://localhost/a.png',
      'http://files.invalid/a.png',
      'https://user:password@files.invalid/a.png',
      'https://files.invalid/%00',
    ),
    fc.webUrl({ authoritySettings: {}, validSchemes: ['https'] }).map((url) => {
      const parsed = new URL(url);
      return `https://files.invalid${parsed.pathname}${parsed.search}`;
    }),
  );

function plainTextArbitrary(schema: JsonSchema, example: unknown): fc.Arbitrary<string> {
  const minLength = (schema['minLength'] as number | undefined) ?? 0;
  const limit = (schema['maxLength'] as number | undefined) ?? LONG_TEXT;
  const maxLength = Math.max(minLength, Math.min(limit, 40));
  return fc.oneof(
    ...(typeof example === 'string' ? [{ weight: 6, arbitrary: fc.constant(example) }] : []),
    { weight: 6, arbitrary: fc.string({ minLength, maxLength }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength, maxLength }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength, maxLength }) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(limit), 'é'.repeat(limit)) },
  );
}
