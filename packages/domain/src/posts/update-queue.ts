import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import { ok, refuseWith, type Result } from '../result.js';
import { preconditionFailed, versionOf } from '../version.js';
import type { CreatePorts, CreatePostFailure } from './create-post.js';
import { viewQueue, type QueueView } from './get-queue.js';
import { claimSlot } from './schedule-by-queue.js';
import type { PostingQueue, QueueSlot } from './queue.js';
import { updatePost } from './update-post.js';

interface UpdateQueue {
  /** Of the profile. */
  readonly id: string;
  /** Omitted: the queue's, or the profile's for a new queue. */
  readonly timezone?: string | undefined;
  readonly slots: readonly QueueSlot[];
  /** Move the queued posts to the new slots, in their order. Otherwise they keep their times. */
  readonly reassign?: boolean | undefined;
}

type UpdateQueueFailure = CreatePostFailure | 'request.precondition_failed' | 'post.cancelled';
type QueueChangePorts = CreatePorts & Pick<AtomicPorts, 'deliveries'>;

/** Replaces the posting slots of a profile. */
export async function updateQueue(
  ports: QueueChangePorts,
  call: Call,
  { id, timezone, slots, reassign }: UpdateQueue,
): Promise<Result<QueueView, UpdateQueueFailure>> {
  const profile = await findReachableProfile(ports, call, id);
  if (!profile.ok) return profile;
  const { workspaceId, id: profileId } = profile.value;
  const before = await ports.postingQueues.find(workspaceId, profileId);
  const zone = timezone ?? before?.timezone ?? profile.value.timezone;
  const saved = await ports.postingQueues.save(
    { workspaceId, profileId, timezone: zone, slots },
    versionOf(call),
  );
  if (!saved) return preconditionFailed('queue', nextCall.getQueue(profileId));
  const moved = reassign ? await reassignPosts(ports, call, saved) : ok();
  return moved.ok ? ok(await viewQueue(ports, saved)) : moved;
}

/** Moves the queued posts to the coming slots, in the order of their times. */
async function reassignPosts(
  ports: QueueChangePorts,
  { ifMatch: _, ...call }: Call,
  queue: PostingQueue,
): Promise<Result<void, UpdateQueueFailure>> {
  const { workspaceId, profileId } = queue;
  const claimed = await ports.postingQueues.listClaimed(workspaceId, profileId);
  // Settlement locks the deliveries of a post before the post; so does this lock.
  for (const { postId } of claimed) await ports.posts.lock(workspaceId, postId);
  await ports.postingQueues.release(workspaceId, profileId);
  let after = ports.clock.now();
  for (const { postId } of claimed) {
    const at = await claimSlot(ports.postingQueues, queue, after);
    if (!at) return tooFewSlots(queue, claimed.length);
    const updated = await updatePost(ports, call, { id: postId, queue: { at }, allowDuplicate: true });
    if (updated.ok) {
      after = at;
      continue;
    }
    const { code } = updated.failure;
    // Its publishing has started, or it was deleted.
    if (code !== 'post.already_published' && code !== 'post.not_found')
      return refuseWith({ ...updated.failure, code });
  }
  return ok();
}

const tooFewSlots = ({ profileId, slots }: PostingQueue, posts: number) =>
  refuse(
    slots.length === 0 ? 'post.queue_empty' : 'post.time_too_far',
    `The slots of the next two years do not suffice for the ${posts} queued posts. Add slots, or omit reassign.`,
    { next: nextCall.getQueue(profileId) },
  );
