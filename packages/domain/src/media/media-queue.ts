import { refuse } from '../failure.js';
import type { DeferredMediaWork } from '../ports/media-tools.js';
import type { Refusal } from '../result.js';
import { MEDIA_QUEUE_MAX } from './media.js';

const UPLOAD_RETRY_SECONDS = 5;
const DOWNLOAD_RETRY_SECONDS = 30;

export const uploadQueueFull = (): Refusal<'rate_limit.exceeded'> =>
  refuse(
    'rate_limit.exceeded',
    `The inspection queue of this workspace is full (${MEDIA_QUEUE_MAX} files). Retry later.`,
    { retryAfterSeconds: UPLOAD_RETRY_SECONDS, details: { queueLimit: MEDIA_QUEUE_MAX } },
  );

export const downloadQueueFull = (): Refusal<'rate_limit.exceeded'> =>
  refuse(
    'rate_limit.exceeded',
    `The download queue of this workspace is full (at most ${MEDIA_QUEUE_MAX} URLs). Retry later or send fewer URLs.`,
    { retryAfterSeconds: DOWNLOAD_RETRY_SECONDS, details: { queueLimit: MEDIA_QUEUE_MAX } },
  );

/** The failure that the uploader receives when its file was not inspected. */
export const notInspected = ({
  kind,
}: DeferredMediaWork): Refusal<'rate_limit.exceeded' | 'service.unavailable'> =>
  kind === 'queue_full'
    ? uploadQueueFull()
    : refuse(
        'service.unavailable',
        'The file could not be inspected in time because the server is busy. Send it again.',
        { retryAfterSeconds: UPLOAD_RETRY_SECONDS },
      );
