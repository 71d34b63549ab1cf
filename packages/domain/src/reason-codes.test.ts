import { expect, test } from '@jest/globals';
import type { DeliveryError } from './deliveries/delivery.js';
import { failures, type Problem } from './failure.js';
import { reasonCodes } from './reason-codes.js';

const rows = [
  ...Object.entries(failures).map(([code, { title, remedy }]) => ({
    code,
    meaning: title,
    remedy,
    place: '',
  })),
  ...reasonCodes,
];

test('lists each code once for each place, with a meaning and one sentence that says what to do', () => {
  const listed = rows.map(({ place, code }) => `${place} ${code}`);
  expect(listed).toEqual([...new Set(listed)]);
  for (const { code, meaning, remedy } of rows) {
    expect([code, meaning]).toEqual([code, expect.stringMatching(/^\S.*[^.]$/)]);
    expect([code, remedy]).toEqual([code, expect.stringMatching(/^[A-Z].*\.$/)]);
  }
});

test('has one style, `area.reason`, except for the names that callers already know', () => {
  const others = rows.filter(({ code }) => !/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(code));
  expect(Object.groupBy(others, ({ place }) => place)).toEqual({
    problem: [
      'invalid_amount',
      'invalid_quantity',
      'repeated',
      'not_restocked',
      'unknown_line',
      'unknown_payment',
      'exceeds_refundable',
    ].map((code) => expect.objectContaining({ code }) as unknown),
    connect_session: expect.any(Array) as unknown,
    attention: expect.any(Array) as unknown,
  });
});

test('a code that is not in the catalog does not compile', () => {
  // @ts-expect-error -- not in the catalog
  const problem: Problem = { path: '', code: 'field.misplaced', message: '' };
  // @ts-expect-error -- a code of another place
  const error: DeliveryError = { code: 'field.required', message: '' };
  expect([problem, error]).toHaveLength(2);
});
