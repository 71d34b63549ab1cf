import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { PostingQueues, ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { DraftPost } from './draft-post.js';
import { findPostingProfile, type ProfileFailureCode } from './find-targets.js';
import type { Post } from './post.js';
import { comingSlots, type PostingQueue } from './queue.js';

/** A preview replaces `claim`. */
export type SlotPort = Pick<PostingQueues, 'find' | 'listClaimed' | 'claim'>;
type QueuePorts = Pick<ReadPorts, 'profiles' | 'connections' | 'clock'> & {
  readonly postingQueues: SlotPort;
};
export type QueueFailureCode =
  | ProfileFailureCode
  | 'request.invalid'
  | 'post.queue_empty'
  | 'post.time_too_far';

interface ScheduledDraft {
  readonly draft: DraftPost;
  /** The slot that it takes; null for a time of its own. */
  readonly slot: Date | null;
}

/** Slots that are tried at once: transactions that take slots at the same time skip each other's. */
const CANDIDATES = 50;

/**
 * The draft at the next free slot of its profile's queue, where it asks for one. A draft that is only stored takes
 * none.
 */
export async function scheduleByQueue(
  ports: QueuePorts,
  call: Call,
  draft: DraftPost,
  /** Posts of the same transaction that are not stored yet. */
  earlier: readonly Post[] = [],
): Promise<Result<ScheduledDraft, QueueFailureCode>> {
  const { queue, ...rest } = draft;
  if (queue === undefined) return ok({ draft, slot: null });
  if (draft.scheduledAt !== undefined)
    return refuse('request.invalid', 'Send either queue or scheduled_at.', {
      problems: [{ path: 'queue', code: 'field.invalid', message: 'cannot be combined with scheduled_at' }],
    });
  if (draft.draft) return ok({ draft, slot: null });
  const profile = await findPostingProfile(ports, call, draft);
  if (!profile.ok) return profile;
  const { id, timezone } = profile.value;
  const found = await ports.postingQueues.find(call.workspaceId, id);
  const slotAt = (at: Date) =>
    ok({
      draft: {
        ...rest,
        scheduledAt: at.toISOString(),
        timezone: draft.timezone ?? found?.timezone ?? timezone,
      },
      slot: at,
    });
  if (queue !== 'next') return slotAt(queue.at);
  if (!found || found.slots.length === 0)
    return refuse('post.queue_empty', 'The profile has no posting slots. Set them, or send scheduled_at.', {
      next: nextCall.getQueue(id),
    });
  const taken = earlier.flatMap(({ profileId, queueSlot }) =>
    profileId === id && queueSlot ? queueSlot : [],
  );
  const at = await claimSlot(ports.postingQueues, found, ports.clock.now(), taken);
  return at ? slotAt(at) : refuse('post.time_too_far', 'Every posting slot of the next two years is taken.');
}

/** Takes the first free slot after `from` that is not among `taken`; null when there is none in two years. */
export async function claimSlot(
  postingQueues: Pick<PostingQueues, 'listClaimed' | 'claim'>,
  queue: PostingQueue,
  from: Date,
  taken: readonly Date[] = [],
): Promise<Date | null> {
  const { workspaceId, profileId } = queue;
  const claimed = await postingQueues.listClaimed(workspaceId, profileId);
  const unavailable = new Set([...claimed.map(({ at }) => at), ...taken].map((at) => at.getTime()));
  let candidates: Date[] = [];
  for (const at of comingSlots(queue, from)) {
    if (unavailable.has(at.getTime()) || candidates.push(at) < CANDIDATES) continue;
    const slot = await postingQueues.claim(workspaceId, profileId, candidates);
    if (slot) return slot;
    candidates = [];
  }
  return candidates.length === 0 ? null : postingQueues.claim(workspaceId, profileId, candidates);
}
