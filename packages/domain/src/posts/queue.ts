import type { PostId, ProfileId, WorkspaceId } from '../ids.js';
import { findInstants, formatLocalTime } from './local-time.js';
import { FARTHEST_MS } from './schedule.js';

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** A local time on a weekday. */
export interface QueueSlot {
  readonly weekday: (typeof weekdays)[number];
  /** `HH:MM`. */
  readonly time: string;
}

export interface PostingQueue {
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  /** IANA time zone of the slots. */
  readonly timezone: string;
  readonly slots: readonly QueueSlot[];
  /** Incremented with every change: the entity tag. */
  readonly version: number;
}

export interface ClaimedSlot {
  readonly at: Date;
  readonly postId: PostId;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than a change of the clock. */
const BEFORE_CHANGE_MS = 3 * HOUR_MS;

/**
 * The instants of the slots after `from`, ascending and distinct, at most two years ahead. Where the clock changes, as
 * RFC 5545 (3.3.5) specifies: a skipped time has the offset before the change, and of a repeated time the first counts.
 */
export function* comingSlots(
  { slots, timezone }: Pick<PostingQueue, 'slots' | 'timezone'>,
  from: Date,
): Generator<Date> {
  const today = Date.parse(`${formatLocalTime(from, timezone).slice(0, 10)}T00:00:00Z`);
  let last = from.getTime();
  // A skipped time at the end of a day is an instant of the next one.
  for (let day = today - DAY_MS; day <= from.getTime() + FARTHEST_MS; day += DAY_MS) {
    const weekday = weekdays[(new Date(day).getUTCDay() + 6) % 7];
    const instants = slots
      .filter((slot) => slot.weekday === weekday)
      .flatMap(({ time }) => findInstant(`${new Date(day).toISOString().slice(0, 10)}T${time}:00`, timezone));
    for (const at of instants.sort((a, b) => a - b)) {
      if (at <= last || at > from.getTime() + FARTHEST_MS) continue;
      last = at;
      yield new Date(at);
    }
  }
}

/** Milliseconds since 1970; none for a day that the zone skipped. */
function findInstant(local: string, timezone: string): number[] {
  const [first] = findInstants(local, timezone);
  if (first) return [first.getTime()];
  const earlier = new Date(Date.parse(`${local}Z`) - BEFORE_CHANGE_MS).toISOString().slice(0, 19);
  return findInstants(earlier, timezone)
    .slice(0, 1)
    .map((at) => at.getTime() + BEFORE_CHANGE_MS);
}
