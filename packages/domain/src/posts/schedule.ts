import { refuse } from '../failure.js';
import { ok, type Result } from '../result.js';
import type { Profile } from '../profiles/profile.js';
import { findInstants } from './local-time.js';

export interface Schedule {
  readonly at: Date;
  readonly timezone: string;
  readonly notAfter: Date;
}

export type ScheduleFailureCode =
  | 'request.invalid'
  | 'post.timezone_required'
  | 'post.time_past'
  | 'post.time_too_far'
  | 'post.time_nonexistent'
  | 'post.time_ambiguous';

const MINUTE_MS = 60_000;
/** The default publish window: how long after its time a post may still be published. */
export const GRACE_MS = 6 * 60 * MINUTE_MS;
export const FARTHEST_MS = 2 * 366 * 24 * 60 * MINUTE_MS;

/**
 * The publishing time: now by default, else an instant or a local time in its zone. More than a minute ago is
 * rejected.
 */
export function schedule(
  now: Date,
  command: {
    readonly scheduledAt?: string | undefined;
    readonly timezone?: string | undefined;
    readonly notAfter?: Date | undefined;
  },
  profile: Pick<Profile, 'timezone' | 'isTimezoneSet'>,
): Result<Schedule, ScheduleFailureCode> {
  const { scheduledAt } = command;
  const timezone = command.timezone ?? profile.timezone;
  const read = scheduledAt === undefined ? ok(now) : parseTime(scheduledAt, timezone);
  if (!read.ok) return read;
  if (isLocalTime(scheduledAt) && command.timezone === undefined && !profile.isTimezoneSet) {
    const message =
      'scheduled_at is a local time, and the profile has no time zone: send timezone, such as Europe/Madrid, or a time with an offset.';
    return refuse('post.timezone_required', message, {
      problems: [{ path: 'timezone', code: 'field.invalid', message: 'is required with a local time' }],
    });
  }
  const requested = read.value;
  if (requested.getTime() < now.getTime() - MINUTE_MS) {
    const message = `scheduled_at is in the past: the current time is ${now.toISOString()}. Omit it to publish now.`;
    return refuse('post.time_past', message, { details: { now } });
  }
  if (requested.getTime() > now.getTime() + FARTHEST_MS) {
    return refuse('post.time_too_far', 'scheduled_at may be at most two years ahead.');
  }
  const at = requested < now ? now : requested;
  const notAfter = command.notAfter ?? new Date(at.getTime() + GRACE_MS);
  if (notAfter <= at) {
    return refuse('request.invalid', 'not_after must be later than the publishing time.', {
      problems: [
        { path: 'not_after', code: 'field.invalid', message: 'must be later than the publishing time' },
      ],
    });
  }
  return ok({ at, timezone, notAfter });
}

function parseTime(
  text: string,
  timezone: string,
): Result<Date, 'request.invalid' | 'post.time_nonexistent' | 'post.time_ambiguous'> {
  if (!isInCalendar(text)) return invalidTime();
  if (!isLocalTime(text)) {
    const instant = parseInstant(text);
    return instant ? ok(instant) : invalidTime();
  }
  const instants = findInstants(text, timezone);
  const [first, second] = instants;
  if (!first) {
    return refuse(
      'post.time_nonexistent',
      `The clocks in ${timezone} skip that local time. Send a time with an offset.`,
    );
  }
  if (second) {
    return refuse(
      'post.time_ambiguous',
      `That local time is ambiguous in ${timezone}. Send one of the two instants.`,
      {
        details: { instants: instants.map((instant) => instant.toISOString()) },
      },
    );
  }
  return ok(first);
}

export const isLocalTime = (text: string | null | undefined): boolean =>
  text != null && !/(?:[zZ]|[+-]\d\d:\d\d)$/.test(text);

/** The instant of a time with an offset; null when the calendar or the clock has no such time. */
export function parseInstant(text: string): Date | null {
  const instant = new Date(text);
  return isInCalendar(text) && !Number.isNaN(instant.getTime()) ? instant : null;
}

/** JavaScript parses February 30 as March 2: the parsed date must equal the written one. */
function isInCalendar(text: string): boolean {
  const minute = text.slice(0, 'YYYY-MM-DDThh:mm'.length);
  const read = Date.parse(`${minute}Z`);
  return !Number.isNaN(read) && new Date(read).toISOString().startsWith(minute);
}

const invalidTime = () =>
  refuse('request.invalid', 'scheduled_at is not a valid calendar time.', {
    problems: [{ path: 'scheduled_at', code: 'field.invalid', message: 'is not a valid time' }],
  });
