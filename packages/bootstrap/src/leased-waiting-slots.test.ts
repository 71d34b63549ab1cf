import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { WorkspaceId } from '@switchboard/domain';
import type { WaitingSlot } from '@switchboard/domain/ports';
import type { WaitingCounts } from '@switchboard/persistence';
import { leasedWaitingSlots, type LeasedWaitingSlots } from './leased-waiting-slots.js';

const workspaceId = 'wsp_one' as WorkspaceId;

let granted: Map<string, number>;
let statements: number;
let isAway: boolean;
let errors: unknown[];
let opened: LeasedWaitingSlots[];
let counts: WaitingCounts;
beforeEach(() => {
  granted = new Map();
  statements = 0;
  isAway = false;
  errors = [];
  opened = [];
  counts = {
    async set(_workspace, holder, wanted, { most }) {
      statements += 1;
      if (isAway) throw new Error('away');
      await new Promise((resolve) => setTimeout(resolve, 2));
      const others = [...granted]
        .filter(([name]) => name !== holder)
        .reduce((sum, [, count]) => sum + count, 0);
      granted.set(holder, Math.max(0, Math.min(wanted, most - others)));
      return granted.get(holder) ?? 0;
    },
  };
});
afterEach(() => opened.forEach((slots) => slots.close()));

const process = (holder: string) => {
  const slots = leasedWaitingSlots(counts, holder, (error) => errors.push(error));
  opened.push(slots);
  return slots;
};
const enter = async (slots: LeasedWaitingSlots, times: number) =>
  (await Promise.all(Array.from({ length: times }, () => slots.acquire(workspaceId)))).filter(
    (slot): slot is WaitingSlot => slot !== null,
  );

test('a hundred of five hundred requests may wait, with a few database queries (finding 6)', async () => {
  const slots = process('a');
  const waiting = await enter(slots, 500);
  expect(waiting).toHaveLength(100);
  expect(statements).toBeLessThanOrEqual(3);
  expect(await slots.acquire(workspaceId)).toBeNull();
  waiting[0]?.release();
  waiting[0]?.release();
  expect(await enter(slots, 3)).toHaveLength(1);
});

test('processes share the hundred, and released slots soon become available to another process', async () => {
  const [one, other] = [process('one'), process('other')];
  const first = await enter(one, 70);
  expect(first).toHaveLength(70);
  expect(await enter(other, 70)).toHaveLength(30);
  for (const slot of first.slice(0, 20)) slot.release();
  let more = 0;
  while (more < 20) {
    more += (await enter(other, 1)).length;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(more).toBe(20);
  expect(await enter(other, 1)).toHaveLength(0);
});

test('while the count is unreachable no request waits, and none is rejected or delayed for it', async () => {
  const slots = process('a');
  isAway = true;
  expect(await enter(slots, 3)).toHaveLength(0);
  expect(errors).toHaveLength(statements);
  isAway = false;
  expect(await enter(slots, 3)).toHaveLength(3);
});
