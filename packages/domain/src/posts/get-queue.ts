import type { Call } from '../call.js';
import type { PostId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import { ok, type Result } from '../result.js';
import { comingSlots, type PostingQueue } from './queue.js';

export interface GetQueue {
  /** Of the profile. */
  readonly id: string;
  /** Coming slots; the default is 20. */
  readonly limit?: number | undefined;
}

/** A queue with its coming slots, free and taken, ascending. Taken ones stay when the schedule changes. */
export interface QueueView extends PostingQueue {
  readonly coming: readonly { readonly at: Date; readonly postId: PostId | null }[];
}

type QueuePorts = Pick<ReadPorts, 'profiles' | 'postingQueues' | 'clock'>;

export async function getQueue(
  ports: QueuePorts,
  call: Call,
  { id, limit }: GetQueue,
): Promise<Result<QueueView, 'profile.not_found'>> {
  const profile = await findReachableProfile(ports, call, id);
  if (!profile.ok) return profile;
  const { workspaceId, id: profileId, timezone } = profile.value;
  const found = await ports.postingQueues.find(workspaceId, profileId);
  return ok(
    await viewQueue(ports, found ?? { workspaceId, profileId, timezone, slots: [], version: 0 }, limit),
  );
}

export async function viewQueue(
  ports: Pick<ReadPorts, 'postingQueues' | 'clock'>,
  queue: PostingQueue,
  limit = 20,
): Promise<QueueView> {
  const claimed = await ports.postingQueues.listClaimed(queue.workspaceId, queue.profileId);
  const taken = new Set(claimed.map(({ at }) => at.getTime()));
  const free: Date[] = [];
  for (const at of comingSlots(queue, ports.clock.now())) {
    if (free.length === limit) break;
    if (!taken.has(at.getTime())) free.push(at);
  }
  const coming = [...claimed, ...free.map((at) => ({ at, postId: null }))]
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .slice(0, limit);
  return { ...queue, coming };
}
