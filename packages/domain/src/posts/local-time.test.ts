import { expect, test } from '@jest/globals';
import { findInstants, formatLocalTime } from './local-time.js';

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
