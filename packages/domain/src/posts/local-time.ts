/**
 * The instants of a local time in a time zone. Daylight saving time (DST) gives none in a gap
 * (`2026-03-29T02:30:00` in Europe), two in an overlap.
 */
export function findInstants(local: string, timezone: string): readonly Date[] {
  const target = Date.parse(`${local}Z`);
  if (Number.isNaN(target)) return [];
  const candidates = new Set<number>();
  // An offset is less than a day from UTC, and around any instant a zone has at most two: those before and
  // after it.
  for (const probe of [target - DAY_MS, target, target + DAY_MS]) {
    const instant = target - offsetMs(new Date(probe), timezone);
    if (instant + offsetMs(new Date(instant), timezone) === target) candidates.add(instant);
  }
  return [...candidates].sort((a, b) => a - b).map((ms) => new Date(ms));
}

export function formatLocalTime(instant: Date, timezone: string): string {
  return new Date(instant.getTime() + offsetMs(instant, timezone)).toISOString().slice(0, 19);
}

/** "2026-12-01 09:00 Europe/Madrid (2026-12-01T08:00:00Z)": the local time first, as a person reads it. */
export function describeTime(instant: Date, timezone: string): string {
  const local = formatLocalTime(instant, timezone).replace('T', ' ').slice(0, 16);
  const utc = instant.toISOString().replace(/\.000Z$/, 'Z');
  return timezone === 'UTC' ? `${local} UTC` : `${local} ${timezone} (${utc})`;
}

/** From an instant on, the local time of a zone is this many seconds ahead of UTC. */
export interface OffsetChange {
  readonly from: Date;
  readonly seconds: number;
}

/** The offset of a zone at an instant, and its changes until another one, ascending. */
export function listOffsets(from: Date, to: Date, timezone: string): readonly OffsetChange[] {
  const secondsAt = (ms: number) => offsetMs(new Date(ms), timezone) / 1000;
  let current: OffsetChange = { from, seconds: secondsAt(from.getTime()) };
  const offsets = [current];
  for (let day = from.getTime(); day < to.getTime(); day += DAY_MS) {
    // A zone changes its offset at most once in a day.
    const next = Math.min(day + DAY_MS, to.getTime());
    const seconds = secondsAt(next);
    if (seconds === current.seconds) continue;
    let [before, after] = [day, next];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (secondsAt(middle) === current.seconds) before = middle;
      else after = middle;
    }
    current = { from: new Date(after), seconds };
    offsets.push(current);
  }
  return offsets;
}

const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function offsetMs(instant: Date, timezone: string): number {
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(timezone, format);
  }
  const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const shown = Date.parse(
    `${part['year']}-${part['month']}-${part['day']}T${part['hour']}:${part['minute']}:${part['second']}Z`,
  );
  return shown - Math.floor(instant.getTime() / 1000) * 1000;
}
