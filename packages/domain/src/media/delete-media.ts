import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { Ports, MediaDeletion } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { findReachableMedia } from './find-media.js';
import type { Media } from './media.js';

interface DeleteMedia {
  readonly id: string;
}

/** Deletes the bytes immediately; if that fails, the sweep removes them within two days. */
export async function deleteMedia(
  ports: Pick<Ports, 'media' | 'mediaFiles' | 'transactions'>,
  call: Call,
  { id }: DeleteMedia,
): Promise<Result<Media, 'media.not_found' | 'media.in_use'>> {
  const found = await findReachableMedia(ports, call, id);
  if (!found.ok) return found;
  const removal = await ports.transactions.run<MediaDeletion, never>(async (tx) =>
    ok(await tx.media.delete(call.workspaceId, found.value.id)),
  );
  if (!removal.ok) return removal;
  switch (removal.value.kind) {
    case 'missing':
      return notFound('media');
    case 'in_use':
      return refuse('media.in_use', 'A draft or an unsettled post uses this media. Cancel that post first.', {
        next: nextCall.listPosts(),
      });
    case 'removed':
      if (removal.value.file !== null) await ports.mediaFiles.remove([removal.value.file]);
      return ok(found.value);
  }
}
