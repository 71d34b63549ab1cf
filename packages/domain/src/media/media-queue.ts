import { refuse } from '../failure.js';
import type { DeferredMediaWork } from '../ports/media-tools.js';
import type { Refusal } from '../result.js';
import { MEDIA_QUEUE_MAX } from './media.js';

const UPLOAD_RETRY_SECONDS = 5;
const DOWNLOAD_RETRY_SECONDS = 30;

export const uploadQueueFull = (): Refusal<'rate_limit.exceeded'> =>
  refuse(
    'rate_limit.exceeded',
    `${MEDIA_QUEUE_MAX} files of this workspace are waiting to be inspected. Send this one again when fewer wait.`,
    { retryAfterSeconds: UPLOAD_RETRY_SECONDS, details: { queueLimit: MEDIA_QUEUE_MAX } },
  );

export const downloadQueueFull = (): Refusal<'rate_limit.exceeded'> =>
  refuse(
    'rate_limit.exceeded',
    `At most ${MEDIA_QUEUE_MAX} URLs of a workspace wait to be fetched. Repeat the request when fewer wait, or name fewer URLs.`,
    { retryAfterSeconds: DOWNLOAD_RETRY_SECONDS, details: { queueLimit: MEDIA_QUEUE_MAX } },
  );

/** What the caller of an upload is told when its file was not inspected. */
export const notInspected = ({
  kind,
}: DeferredMediaWork): Refusal<'rate_limit.exceeded' | 'service.unavailable'> =>
  kind === 'queue_full'
    ? uploadQueueFull()
    : refuse(
        'service.unavailable',
        'The file could not be inspected in time because this machine is busy. Nothing is wrong with it as far as is known: send it again.',
        { retryAfterSeconds: UPLOAD_RETRY_SECONDS },
      );
