import { expect, test } from '@jest/globals';
import { idTimeMs, parseId } from '@switchboard/domain';
import { randomIds } from './random-ids.js';
import { manualClock } from './testing.js';

test('IDs are well-formed, unique within a millisecond, and sort by their timestamp', () => {
  const clock = manualClock();
  const ids = randomIds(clock);
  const now = Array.from({ length: 10_000 }, () => ids.next('pst'));
  for (const id of now) expect(parseId('pst', id)).toBe(id);
  expect(new Set(now).size).toBe(10_000);
  expect(idTimeMs(ids.next('pst'))).toBe(clock.now().getTime());
  clock.advance(1);
  const later = ids.next('pst');
  expect(now.every((id) => id < later)).toBe(true);
});

test('IDs of one millisecond sort in creation order, which orders the events of one transaction', () => {
  const ids = randomIds(manualClock());
  const made = Array.from({ length: 10_000 }, () => ids.next('evt'));
  expect([...made].sort()).toEqual(made);
});

test('IDs of two processes differ although their clocks agree', () => {
  const clock = manualClock();
  const [one, other] = [randomIds(clock), randomIds(clock)];
  const made = Array.from({ length: 1000 }, () => [one.next('pst'), other.next('pst')]).flat();
  expect(new Set(made).size).toBe(2000);
});

test('a small clock correction keeps IDs in order; a large one is followed', () => {
  const clock = manualClock();
  const ids = randomIds(clock);
  const before = ids.next('pst');
  clock.advance(-500);
  expect(ids.next('pst') > before).toBe(true);
  clock.advance(-5000);
  expect(idTimeMs(ids.next('pst'))).toBe(clock.now().getTime());
});
