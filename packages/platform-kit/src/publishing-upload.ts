import { ok, refuse } from '@switchboard/domain';
import type { PublishItem } from '@switchboard/domain/ports';
import { mapFailureAfterSend } from './map-failure-after-send.js';
import { mapFailureBeforeSend } from './map-failure-before-send.js';
import type { PartReceipt } from './part-receipt.js';
import type { AdapterResult } from './platform-client.js';

const UPLOAD_STATE = 'the state of the upload. Nothing was posted.';

/**
 * How far an upload has come that becomes a post with its last byte; null if the platform no longer knows it.
 */
export type UploadProgress<Post> = { readonly post: Post } | { readonly received: number } | null;

/** `failed`: the platform reports that the upload never becomes a post. */
type UploadOutcome<Post> = AdapterResult<UploadProgress<Post> | 'failed'>;

/** A file whose last byte publishes the post. */
interface PublishingUpload<Post> {
  /** The platform's name. */
  readonly name: string;
  /** The length of the file. */
  readonly bytes: number;
  /** The receipt key that every started upload has. */
  readonly startedKey: string;
  /** The receipt key of the fact that the last chunk may have been sent. */
  readonly lastChunkKey: string;
  /** Publishes nothing. Returns what a later attempt needs to continue. */
  start(): AdapterResult<PublishItem['receipt']>;
  /** The progress of the stored upload. */
  readProgress(): UploadOutcome<Post>;
  /** The next chunk; `end` is exclusive. */
  chunkAt(received: number): { readonly start: number; readonly end: number };
  send(start: number, end: number): UploadOutcome<Post>;
}

/**
 * Uploads the rest of a file, and returns its post; null if the platform has all bytes and has not created a
 * post yet. The start is stored before the first byte, and the last chunk is recorded before it is sent: from
 * then on only the platform's own report that there is no post leads to another upload.
 */
export async function resumePublishingUpload<Post>(
  receipt: PartReceipt,
  upload: PublishingUpload<Post>,
): AdapterResult<{ readonly post: Post } | null> {
  const { name, bytes } = upload;
  const mayBePublished = receipt.entries[upload.lastChunkKey] !== undefined;
  const isStarted = receipt.entries[upload.startedKey] !== undefined;
  const known = isStarted ? await upload.readProgress() : ok('failed' as const);
  if (!known.ok)
    return mayBePublished
      ? mapFailureAfterSend({ name }, known)
      : mapFailureBeforeSend({ name }, known, UPLOAD_STATE);
  if (known.value === null && mayBePublished)
    return refuse('platform.outcome_unknown', `${name} no longer reports the state of the upload.`);
  let progress = known.value;
  if (progress === null || progress === 'failed') {
    const started = await upload.start();
    if (!started.ok) return mapFailureBeforeSend({ name }, started, UPLOAD_STATE);
    await receipt.replace(started.value);
    progress = { received: 0 };
  }
  while ('received' in progress && progress.received < bytes) {
    const { start, end } = upload.chunkAt(progress.received);
    const isLast = end === bytes;
    if (isLast) await receipt.save({ [upload.lastChunkKey]: 'yes' });
    const sent: Awaited<UploadOutcome<Post>> = await upload.send(start, end);
    if (!sent.ok) return isLast ? sent : mapFailureBeforeSend({ name }, sent, UPLOAD_STATE);
    const next = sent.value;
    if (next === 'failed' || (next === null && !mayBePublished)) await receipt.replace({});
    if (next === 'failed' || next === null)
      return retryLater(`${name} does not accept the rest of the file.`);
    if ('received' in next && next.received <= start)
      return retryLater(`${name} stored no bytes of the last chunk.`);
    progress = next;
  }
  return ok('post' in progress ? progress : null);
}

const retryLater = (message: string) => refuse('platform.unavailable', message, { retryAfterSeconds: 60 });
