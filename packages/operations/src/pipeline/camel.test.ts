import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { camelize } from './camel.js';

const convert = (schema: z.ZodObject, value: unknown) => camelize(schema)(schema.parse(value));

test('renames the keys of objects at every depth', () => {
  const schema = z.strictObject({
    scheduled_at: z.string().optional(),
    targets: z
      .array(z.strictObject({ connection_id: z.string() }))
      .nullable()
      .default(null),
  });
  expect(convert(schema, { scheduled_at: 'now', targets: [{ connection_id: 'c' }] })).toEqual({
    scheduledAt: 'now',
    targets: [{ connectionId: 'c' }],
  });
});

test('leaves the caller’s own keys in records alone', () => {
  const schema = z.strictObject({ my_metadata: z.record(z.string(), z.string()) });
  expect(convert(schema, { my_metadata: { campaign_id: 'a_b' } })).toEqual({
    myMetadata: { campaign_id: 'a_b' },
  });
});

test('leaves absent optional fields absent', () => {
  expect(Object.keys(convert(z.strictObject({ a_b: z.string().optional() }), {}) as object)).toEqual([]);
});

test('keeps the output of a transform', () => {
  const schema = z.strictObject({ at_time: z.iso.datetime().transform((text) => new Date(text)) });
  expect(convert(schema, { at_time: '2026-01-01T00:00:00Z' })).toEqual({
    atTime: new Date('2026-01-01T00:00:00Z'),
  });
});

test('keeps every field of an object that a transform returns', () => {
  const convert = camelize(
    z.object({
      most_of: z.array(
        z.object({ currency: z.string(), per_day: z.string() }).transform(({ currency, per_day }) => ({
          currency,
          perDayMinor: Number(per_day) * 100,
        })),
      ),
    }),
  );
  expect(convert({ most_of: [{ currency: 'EUR', perDayMinor: 500 }] })).toEqual({
    mostOf: [{ currency: 'EUR', perDayMinor: 500 }],
  });
});

test('reads through a union of an object and a string literal', () => {
  const schema = z.strictObject({
    shipping: z.union([z.literal('full'), z.strictObject({ amount_minor: z.int() })]),
  });
  expect(convert(schema, { shipping: { amount_minor: 3 } })).toEqual({ shipping: { amountMinor: 3 } });
  expect(convert(schema, { shipping: 'full' })).toEqual({ shipping: 'full' });
});
