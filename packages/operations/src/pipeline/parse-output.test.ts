import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { catalog } from '../catalog.js';
import { parseOutput } from './parse-output.js';

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
  '%s: every variant of its example is returned or refused as without compilation',
  (_name, { output, example }) => {
    expectSame(output, example.output);
    for (const variant of variants(example.output)) expectSame(output, variant);
  },
);

test('a field that the schema does not declare is never returned', () => {
  const schema = z.object({ account: z.object({ id: z.string() }) });
  const value = { account: { id: 'a', token: 'secret' }, token: 'secret' };
  expect(parseOutput(schema, value)).toStrictEqual({ account: { id: 'a' } });
});
