import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseResponse } from './parse-response.js';

const id = z.union([z.string().min(1), z.int().transform(String)]);
const row = z.object({
  id,
  total: z.string().regex(/^-?\d+\.\d{2}$/),
  at: z.iso.datetime().transform((text) => new Date(text)),
  state: z.enum(['open', 'done']).nullish(),
  lines: z.array(z.object({ id, quantity: z.int().nonnegative() })),
  details: z.preprocess(
    (value) => (Array.isArray(value) ? null : value),
    z.object({ note: z.string() }).nullable(),
  ),
  tags: z.record(z.string(), z.unknown()).optional(),
});
const readable = {
  id: 7,
  total: '4.90',
  at: '2026-03-02T09:00:00Z',
  lines: [{ id: 'a', quantity: 1, unexpected: true }],
  details: [],
  tags: { x: 1 },
};
const bodies = [
  readable,
  { ...readable, id: '', state: null, details: { note: 'x', unexpected: 1 } },
  { ...readable, total: '4.9', state: 'other' },
  { ...readable, lines: [{ id: 'a', quantity: -1 }, null] },
  { ...readable, at: '2026-03-02' },
  { ...readable, details: 'x', tags: [] },
  undefined,
  null,
  'text',
  [readable],
];

test.each(bodies.map((body, index) => [index, body]))(
  'body %i is parsed in the same way before and after the schema is compiled',
  (_index, body) => {
    const expected = row.safeParse(body);
    for (let use = 0; use < 30; use += 1) {
      const parsed = parseResponse(row, body);
      expect(parsed.success).toBe(expected.success);
      expect(parsed.data).toStrictEqual(expected.data);
      expect(parsed.error?.issues).toStrictEqual(expected.error?.issues);
    }
  },
);

test('compiles a schema that is used often, and none that is used a few times', () => {
  let isCompiled: boolean | undefined;
  const schema = z.unknown().refine(() => {
    isCompiled = !new Error().stack?.includes('runChecks');
    return true;
  });
  for (let use = 0; use < 10; use += 1) parseResponse(schema, 1);
  expect(isCompiled).toBe(false);
  parseResponse(schema, 1);
  expect(isCompiled).toBe(true);
});
