import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Approval } from './approval.js';
import { decideApproval, type DecideFailure, type DecisionPorts } from './decide-approval.js';

export interface ApproveApproval {
  readonly id: string;
  readonly note?: string | undefined;
}

type ApprovePorts = DecisionPorts & Pick<ReadPorts, 'media'>;

/** Releases what waits for this decision. */
export const approveApproval = (
  ports: ApprovePorts,
  call: Call,
  { id, note = '' }: ApproveApproval,
): Promise<Result<Approval, DecideFailure | 'approval.media_not_ready'>> =>
  decideApproval(
    ports,
    call,
    id,
    { status: 'approved', note: note.trim() === '' ? null : note },
    async (approval) => {
      return (await hasFinalMedia(ports, approval)) ? ok() : mediaNotReady();
    },
  );

export const mediaNotReady = () =>
  refuse(
    'approval.media_not_ready',
    'An image, video or document of this post is still being fetched or uploaded: what would be approved is not known yet.',
  );

/** A digest contains the ids of media: their bytes are final once they are ready. */
export async function hasFinalMedia(
  { posts, media }: Pick<ApprovePorts, 'posts' | 'media'>,
  { workspaceId, postId }: Approval,
): Promise<boolean> {
  const post = postId && (await posts.find(workspaceId, postId));
  const used = post ? post.deliveries.flatMap(({ parts }) => parts.flatMap((part) => part.media)) : [];
  const found = await media.findMany(workspaceId, [...new Set(used.map(({ mediaId }) => mediaId))]);
  return found.every(({ status }) => status !== 'processing');
}
