import type { Call } from '../call.js';
import { listOffsets } from '../posts/local-time.js';
import type { HourSums, ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { parseDateRange, type DateRange } from './date-range.js';
import { findAnalyticsSources, type AnalyticsFilter } from './find-sources.js';
import { divide } from './metric-sums.js';

export interface GetBestTimes extends AnalyticsFilter {
  /** Dates (`2026-03-01`), both inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timezone?: string | undefined;
}

/** The posts published in one local hour of one weekday. */
interface PublishingHour extends Pick<HourSums, 'weekday' | 'hour' | 'postCount' | 'measuredPostCount'> {
  /** The average of the posts whose engagements are known; null below three of them. */
  readonly engagements: number | null;
  /** Engagements by impressions of the posts for which both are known; null below three of them. */
  readonly engagementRate: number | null;
}

interface BestTimes {
  readonly range: DateRange;
  /** Those with posts, from Monday 00:00 to Sunday 23:00. */
  readonly cells: readonly PublishingHour[];
  /** The cells with the highest average engagements, at most three. */
  readonly best: readonly PublishingHour[];
}

/**
 * Engagement by weekday and hour of publishing, as the last stored snapshots have it, for the posts published
 * in the range. The hour is the local time at publication: an hour that repeats when daylight saving time ends
 * is one cell.
 */
export async function getBestTimes(
  ports: Pick<ReadPorts, 'clock' | 'connections' | 'manifests' | 'profiles' | 'snapshots' | 'workspaces'>,
  call: Call,
  command: GetBestTimes,
): Promise<
  Result<BestTimes, 'profile.not_found' | 'connection.not_found' | 'platform.not_found' | 'request.invalid'>
> {
  const sources = await findAnalyticsSources(ports, call, command);
  if (!sources.ok) return sources;
  const { connections, timezone } = sources.value;
  const range = parseDateRange(ports.clock.now(), command.timezone ?? timezone, command);
  if (!range.ok) return range;
  const { startsAt: from, endsAt: to } = range.value;
  const hours = await ports.snapshots.sumPostsByHour(call.workspaceId, {
    connectionIds: connections.map(({ id }) => id),
    from,
    to,
    offsets: listOffsets(from, to, range.value.timezone),
  });
  const cells = hours.map(averageHour);
  return ok({ range: range.value, cells, best: findBest(cells) });
}

/** Fewer posts say nothing about a time. */
const MIN_POSTS = 3;
const MAX_BEST = 3;

const averageHour = ({ sums, ratedPostCount, ...hour }: HourSums): PublishingHour => ({
  ...hour,
  engagements: hour.measuredPostCount < MIN_POSTS ? null : divide(sums.engagements, hour.measuredPostCount),
  engagementRate: ratedPostCount < MIN_POSTS ? null : divide(sums.rated_engagements, sums.rated_impressions),
});

/** Of equal averages, the one of more posts; then the earlier in the week. */
const findBest = (cells: readonly PublishingHour[]): readonly PublishingHour[] =>
  cells
    .flatMap((cell) => (cell.engagements === null ? [] : [{ cell, average: cell.engagements }]))
    .sort((a, b) => b.average - a.average || b.cell.measuredPostCount - a.cell.measuredPostCount)
    .slice(0, MAX_BEST)
    .map(({ cell }) => cell);
