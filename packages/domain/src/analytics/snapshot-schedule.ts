/**
 * How often the worker reads the metrics of a post, by its age: often while it gains most, and not at all after
 * ninety days. A platform's price and quota are spent on posts that still change: 80 reads for each post.
 */
export const postSchedule = [
  { untilHours: 24, everyHours: 1 },
  { untilHours: 7 * 24, everyHours: 6 },
  { untilHours: 30 * 24, everyHours: 24 },
  { untilHours: 90 * 24, everyHours: 7 * 24 },
] as const;

/** The same for posts made elsewhere: 39 reads for each. */
export const externalPostSchedule = [
  { untilHours: 30 * 24, everyHours: 24 },
  { untilHours: 90 * 24, everyHours: 7 * 24 },
] as const;

/** Posts made elsewhere are listed and read for this number of days after the last report that requested them. */
export const EXTERNAL_POSTS_DAYS = 30;

/** How often the worker reads the metrics of an account, in hours. */
export const ACCOUNT_EVERY_HOURS = 24;

/** All snapshots are kept for this number of days, and then the last one of each day (UTC). */
export const RAW_SNAPSHOT_DAYS = 90;

const HOUR_MS = 3_600_000;

/** When a post is read after `at`; null when it is too old. */
export function nextPostReadAt(
  publishedAt: Date,
  at: Date,
  schedule: typeof postSchedule | typeof externalPostSchedule = postSchedule,
): Date | null {
  const ageMs = at.getTime() - publishedAt.getTime();
  const step = schedule.find(({ untilHours }) => ageMs < untilHours * HOUR_MS);
  return step ? new Date(at.getTime() + step.everyHours * HOUR_MS) : null;
}

/** The maximum number of posts of one account that are read at once. */
export const LIVE_POSTS_MAX = 200;

/** Up to how many outdated posts of one account are counted. */
export const STALE_POSTS_MAX = 1000;

/** From which age a snapshot is outdated for a report, by the age of the post. */
export const freshness = [
  { untilHours: 7 * 24, hours: 1 },
  { untilHours: 30 * 24, hours: 24 },
  { untilHours: null, hours: 7 * 24 },
] as const;

/** Whether a report reads the metrics of a post again. */
export function isStale(publishedAt: Date, takenAt: Date | null, now: Date): boolean {
  if (takenAt === null) return true;
  const ageMs = now.getTime() - publishedAt.getTime();
  const step = freshness.find(({ untilHours }) => untilHours === null || ageMs < untilHours * HOUR_MS);
  return step !== undefined && now.getTime() - takenAt.getTime() > step.hours * HOUR_MS;
}
