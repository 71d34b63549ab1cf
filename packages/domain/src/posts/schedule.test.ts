import { describe, expect, test } from '@jest/globals';
import { schedule } from './schedule.js';

const now = new Date('2026-11-21T12:00:00Z');
const madrid = { timezone: 'Europe/Madrid', isTimezoneSet: true };
const at = (scheduledAt: string, more: { timezone?: string; notAfter?: Date } = {}) =>
  schedule(now, { scheduledAt, ...more }, madrid);
const instant = (scheduledAt: string, timezone?: string) => {
  const read = at(scheduledAt, timezone === undefined ? {} : { timezone });
  return read.ok ? read.value.at.toISOString() : read.failure.code;
};

test('without a time a post is published now, with a window of six hours', () => {
  expect(schedule(now, {}, madrid)).toEqual({
    ok: true,
    value: { at: now, timezone: 'Europe/Madrid', notAfter: new Date('2026-11-21T18:00:00Z') },
  });
});

test.each([
  ['an offset', '2026-12-01T09:00:00+01:00', undefined, '2026-12-01T08:00:00.000Z'],
  [
    'an offset that takes precedence over the zone',
    '2026-12-01T09:00:00-05:00',
    'Asia/Tokyo',
    '2026-12-01T14:00:00.000Z',
  ],
  ['UTC', '2026-12-01T09:00:00Z', undefined, '2026-12-01T09:00:00.000Z'],
  ['no seconds', '2026-12-01T09:00Z', undefined, '2026-12-01T09:00:00.000Z'],
  ['the zone of the call', '2026-12-01T09:00:00', 'America/New_York', '2026-12-01T14:00:00.000Z'],
  ['the zone of the profile', '2026-12-01T09:00', undefined, '2026-12-01T08:00:00.000Z'],
  ['fractions of a second', '2026-12-01T09:00:00.250', undefined, '2026-12-01T08:00:00.250Z'],
  ['a leap day', '2028-02-29T09:00:00Z', undefined, '2028-02-29T09:00:00.000Z'],
])('a time is parsed with %s', (_by, text, timezone, expected) => {
  expect(instant(text, timezone)).toBe(expected);
});

test.each([
  '2027-02-29T09:00:00Z',
  '2027-02-30T09:00:00+01:00',
  '2027-02-30T09:00:00',
  '2027-04-31T09:00',
  '2027-13-01T09:00:00',
  '2027-01-01T25:00:00Z',
  '2027-01-01T24:00:00',
  '2027-01-01T10:60:00Z',
  '2027-01-01T10:00:00+24:00',
])('%s is rejected, and not replaced by another day', (text) => {
  expect(at(text)).toMatchObject({
    failure: { code: 'request.invalid', problems: [{ path: 'scheduled_at' }] },
  });
});

test('a local time without a time zone that was chosen is rejected, and never treated as UTC (finding 43)', () => {
  const unset = { timezone: 'UTC', isTimezoneSet: false };
  const code = (scheduledAt: string, timezone?: string) => {
    const read = schedule(now, { scheduledAt, timezone }, unset);
    return read.ok ? 'ok' : read.failure.code;
  };
  expect(code('2026-12-01T09:00')).toBe('post.timezone_required');
  expect(code('2026-12-01T09:00', 'UTC')).toBe('ok');
  expect(code('2026-12-01T09:00Z')).toBe('ok');
  expect(code('not a time')).toBe('request.invalid');
});

test('a local time that the clocks skip is rejected', () => {
  expect(instant('2027-03-28T02:30:00')).toBe('post.time_nonexistent');
});

test('an ambiguous local time is rejected with both instants', () => {
  expect(at('2027-10-31T02:30:00')).toMatchObject({
    failure: {
      code: 'post.time_ambiguous',
      details: { instants: ['2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00.000Z'] },
    },
  });
});

describe('limits of the time', () => {
  test('a minute ago counts as now, and an earlier time is rejected with the current time', () => {
    expect(instant('2026-11-21T11:59:00Z')).toBe('2026-11-21T12:00:00.000Z');
    expect(at('2026-11-21T11:58:59Z')).toMatchObject({
      failure: { code: 'post.time_past', details: { now } },
    });
  });

  test('two years ahead is the maximum', () => {
    expect(instant('2028-11-21T12:00:00Z')).toBe('2028-11-21T12:00:00.000Z');
    expect(instant('2028-12-01T12:00:00Z')).toBe('post.time_too_far');
  });

  test('not_after must be later than the publishing time', () => {
    const of = (notAfter: string) => at('2026-12-01T09:00:00Z', { notAfter: new Date(notAfter) });
    expect(of('2026-12-01T09:00:01Z')).toMatchObject({ ok: true });
    expect(of('2026-12-01T09:00:00Z')).toMatchObject({
      failure: { code: 'request.invalid', problems: [{ path: 'not_after' }] },
    });
  });
});
