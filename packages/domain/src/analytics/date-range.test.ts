import { describe, expect, test } from '@jest/globals';
import { parseDateRange } from './date-range.js';

const now = new Date('2026-03-02T09:00:00Z');

function range(asked: { from?: string; to?: string }, timezone = 'UTC', at = now) {
  const read = parseDateRange(at, timezone, asked);
  if (!read.ok) throw new Error(read.failure.message);
  const { from, to, startsAt, endsAt } = read.value;
  return { from, to, startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() };
}
const problemOf = (asked: { from?: string; to?: string }) => {
  const read = parseDateRange(now, 'UTC', asked);
  return read.ok ? 'ok' : [read.failure.code, read.failure.problems?.[0]?.path];
};

test('without dates the range is the last thirty days, including today', () => {
  expect(range({})).toMatchObject({
    from: '2026-02-01',
    to: '2026-03-02',
    endsAt: '2026-03-03T00:00:00.000Z',
  });
});

test('today is today’s date in the zone', () => {
  const late = new Date('2026-03-02T23:30:00Z');
  expect(range({}, 'Asia/Tokyo', late).to).toBe('2026-03-03');
  expect(range({}, 'America/Los_Angeles', new Date('2026-03-02T03:00:00Z')).to).toBe('2026-03-01');
});

test('an end without a start covers the thirty days up to the end', () => {
  expect(range({ to: '2026-01-31' })).toMatchObject({ from: '2026-01-02', to: '2026-01-31' });
});

test('both ends are inclusive, in the zone', () => {
  expect(range({ from: '2026-02-01', to: '2026-02-01' }, 'Europe/Madrid')).toMatchObject({
    startsAt: '2026-01-31T23:00:00.000Z',
    endsAt: '2026-02-01T23:00:00.000Z',
  });
});

describe('days that do not have twenty-four hours', () => {
  test.each([
    [
      'daylight saving time begins',
      'Europe/Madrid',
      '2026-03-29',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ],
    [
      'daylight saving time ends',
      'Europe/Madrid',
      '2026-10-25',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ],
    [
      'midnight is skipped',
      'Africa/Cairo',
      '2026-04-24',
      '2026-04-23T22:00:00.000Z',
      '2026-04-24T21:00:00.000Z',
    ],
    [
      'half an hour is skipped',
      'Australia/Lord_Howe',
      '2026-10-04',
      '2026-10-03T13:30:00.000Z',
      '2026-10-04T13:00:00.000Z',
    ],
  ])('%s: %s %s', (_what, timezone, day, startsAt, endsAt) => {
    expect(range({ from: day, to: day }, timezone)).toMatchObject({ startsAt, endsAt });
  });

  test('a day that a zone skipped is empty, and its neighbors are complete', () => {
    const apia = 'Pacific/Apia';
    const [before, skipped, after] = ['2011-12-29', '2011-12-30', '2011-12-31'].map((day) =>
      range({ from: day, to: day }, apia),
    );
    expect(skipped?.startsAt).toBe(skipped?.endsAt);
    expect(before?.endsAt).toBe(skipped?.startsAt);
    expect(after?.startsAt).toBe(skipped?.endsAt);
    expect(after?.startsAt).toBe('2011-12-30T10:00:00.000Z');
  });
});

test('a range has at most 366 days', () => {
  expect(range({ from: '2025-03-02', to: '2026-03-02' }).from).toBe('2025-03-02');
  expect(problemOf({ from: '2025-03-01', to: '2026-03-02' })).toEqual(['request.invalid', 'from']);
});

test('a range that ends before it begins is rejected, also with the default end of today', () => {
  expect(problemOf({ from: '2026-02-02', to: '2026-02-01' })).toEqual(['request.invalid', 'from']);
  expect(problemOf({ from: '2026-03-03' })).toEqual(['request.invalid', 'from']);
});

test('dates outside the supported calendar are rejected', () => {
  expect(problemOf({ from: '0001-01-01', to: '0001-01-02' })).toEqual(['request.invalid', 'from']);
  expect(problemOf({ to: '9999-12-31' })).toEqual(['request.invalid', 'to']);
});
