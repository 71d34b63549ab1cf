import { expect, test } from '@jest/globals';
import { findInstants, formatLocalTime, listOffsets } from './local-time.js';

const iso = (local: string, zone: string) =>
  findInstants(local, zone).map((instant) => instant.toISOString());

test('finds the single instant of an ordinary local time', () => {
  expect(iso('2026-12-01T09:00:00', 'Europe/Madrid')).toEqual(['2026-12-01T08:00:00.000Z']);
  expect(iso('2026-07-01T09:00:00', 'Asia/Kathmandu')).toEqual(['2026-07-01T03:15:00.000Z']);
});

test('finds none where clocks skip forward', () => {
  expect(iso('2026-03-29T02:30:00', 'Europe/Madrid')).toEqual([]);
});

test('finds two where clocks are set back', () => {
  expect(iso('2026-10-25T02:30:00', 'Europe/Madrid')).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T01:30:00.000Z',
  ]);
});

test('handles half-hour changes and a skipped day', () => {
  expect(iso('2026-04-05T01:45:00', 'Australia/Lord_Howe')).toHaveLength(2);
  expect(iso('2011-12-30T12:00:00', 'Pacific/Apia')).toEqual([]);
});

test('formats an instant as the local time of the zone', () => {
  expect(formatLocalTime(new Date('2026-12-01T08:00:00.000Z'), 'Europe/Madrid')).toBe('2026-12-01T09:00:00');
});

test.each([
  ['UTC', [['2026-01-01T00:00:00.000Z', 0]]],
  ['Asia/Kathmandu', [['2026-01-01T00:00:00.000Z', 20_700]]],
  [
    'Europe/Madrid',
    [
      ['2026-01-01T00:00:00.000Z', 3600],
      ['2026-03-29T01:00:00.000Z', 7200],
      ['2026-10-25T01:00:00.000Z', 3600],
    ],
  ],
  [
    'Australia/Lord_Howe',
    [
      ['2026-01-01T00:00:00.000Z', 39_600],
      ['2026-04-04T15:00:00.000Z', 37_800],
      ['2026-10-03T15:30:00.000Z', 39_600],
    ],
  ],
])('lists the offsets of %s and the instants at which they change', (zone, expected) => {
  const offsets = listOffsets(new Date('2026-01-01T00:00:00Z'), new Date('2027-01-01T00:00:00Z'), zone);
  expect(offsets.map(({ from, seconds }) => [from.toISOString(), seconds])).toEqual(expected);
});
