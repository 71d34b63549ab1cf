import { expect, test } from '@jest/globals';
import { idTimeMs, parseId } from '@switchboard/domain';
import { randomIds } from './random-ids.js';
import { steppedClock } from './testing.js';

test('ids are well-formed, unique within a millisecond, and sort by the time they tell', () => {
  const clock = steppedClock();
  const ids = randomIds(clock);
  const now = Array.from({ length: 10_000 }, () => ids.next('pst'));
  for (const id of now) expect(parseId('pst', id)).toBe(id);
  expect(new Set(now).size).toBe(10_000);
  expect(idTimeMs(ids.next('pst'))).toBe(clock.now().getTime());
  clock.step(1);
  const later = ids.next('pst');
  expect(now.every((id) => id < later)).toBe(true);
});
