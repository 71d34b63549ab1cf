import { notFound, refuse } from '../failure.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { UPLOAD_SECONDS, type Media } from './media.js';
import { storeMedia, type StoreMediaFailureCode } from './store-media.js';

/**
 * The one-time PUT. The token in its URL is the authorization. A successful upload of the announced file uses
 * it up; a failed or aborted one may be retried within the hour, one at a time.
 */
export async function receiveUpload(
  ports: Pick<Ports, 'media' | 'mediaLinks' | 'mediaFiles' | 'mediaTools' | 'tokens' | 'transactions'>,
  token: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<Result<Media, 'media.not_found' | 'media.already_uploaded' | StoreMediaFailureCode>> {
  const upload = ports.mediaLinks.readUpload(token);
  if (!upload) return notFound('media');
  const { workspaceId, mediaId } = upload;
  const claimed = await ports.transactions.run<Media | null, never>(async (tx) =>
    ok(await tx.media.claim(workspaceId, mediaId, UPLOAD_SECONDS)),
  );
  if (!claimed.ok) return claimed;
  if (!claimed.value) {
    const known = await ports.media.find(workspaceId, mediaId);
    return known && known.status !== 'failed' ? alreadyUploaded() : notFound('media');
  }
  const { attempts, declared } = claimed.value;

  const stored = await storeMedia(ports, stream, { workspaceId }, declared);
  if (!stored.ok) {
    await ports.transactions.run(async (tx) =>
      ok(await tx.media.postpone(workspaceId, mediaId, attempts, 0)),
    );
    return stored;
  }
  const file = stored.value;
  const settled = await ports.transactions.run<boolean, never>(async (tx) =>
    ok(await tx.media.settle(workspaceId, mediaId, attempts, { file })),
  );
  if (settled.ok && settled.value) return ok({ ...claimed.value, status: 'ready', file });
  await ports.mediaFiles.remove([file.name]);
  return settled.ok ? alreadyUploaded() : settled;
}

const alreadyUploaded = () =>
  refuse(
    'media.already_uploaded',
    'This upload URL has already been used, or an upload is in progress. Create a new upload.',
  );
