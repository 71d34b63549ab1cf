import type { MediaId, ProfileId, WorkspaceId } from '../ids.js';
import type { MediaFailure } from '../ports/deliveries.js';
import type { Tx } from '../ports/index.js';
import type { Media } from './media.js';

/**
 * Reports media that cannot be used to everyone whom it concerns: in the error of the unsent deliveries that
 * use it, and as one event for each profile with the affected posts. Called in the transaction in which the
 * media fails.
 */
export async function reportMediaFailure(
  tx: Pick<Tx, 'deliveries' | 'events'>,
  workspaceId: WorkspaceId,
  mediaId: MediaId,
  { code, message }: NonNullable<Media['error']>,
): Promise<void> {
  const failed = await tx.deliveries.recordMediaFailure(workspaceId, mediaId, {
    code: 'media.failed',
    message,
  });
  const byProfile = new Map<ProfileId, MediaFailure[]>();
  for (const one of failed) byProfile.set(one.profileId, [...(byProfile.get(one.profileId) ?? []), one]);
  const append = (profileId: ProfileId | null, deliveries: readonly MediaFailure[]) =>
    tx.events.append({
      workspaceId,
      type: 'media.failed',
      profileId,
      data: {
        media_id: mediaId,
        error: { code, message },
        posts: [...new Set(deliveries.map(({ postId }) => postId))].map((postId) => ({
          post_id: postId,
          delivery_ids: deliveries.filter((one) => one.postId === postId).map(({ id }) => id),
        })),
      },
    });
  for (const [profileId, deliveries] of byProfile) await append(profileId, deliveries);
  if (failed.length === 0) await append(null, []);
}
