import type { FailureCode } from '../failure.js';
import type { MediaId, WorkspaceId } from '../ids.js';
import type { DownloadOutcome, Ports } from '../ports/index.js';
import { ok } from '../result.js';
import { createLeaseHandle, LEASE_SECONDS, withLease } from '../lease.js';
import type { StoredFile } from './media.js';
import { reportMediaFailure } from './report-media-failure.js';
import { storeMedia } from './store-media.js';

/**
 * A file may be large and its server slow; the download has this time as long as the worker extends its
 * lease.
 */
const DEADLINE_SECONDS = 900;
/** How long to wait after each attempt that failed transiently; after the last one the media has failed. */
const BACKOFF_SECONDS = [10, 60, 300, 900];

type FetchResult =
  | { readonly kind: 'stored'; readonly file: StoredFile }
  | { readonly kind: 'failed'; readonly error: { readonly code: FailureCode; readonly message: string } }
  /** A retry may succeed. */
  | { readonly kind: 'not_now'; readonly reason: string };

/** Downloads the bytes of media that was created from a URL. Idempotent. */
export async function fetchMedia(
  ports: Pick<Ports, 'mediaFiles' | 'mediaTools' | 'downloads' | 'tokens' | 'clock' | 'transactions'>,
  { workspaceId, mediaId }: { readonly workspaceId: WorkspaceId; readonly mediaId: MediaId },
  stop: AbortSignal,
): Promise<void> {
  const claimedAt = ports.clock.now();
  const claimed = await ports.transactions.run(async (tx) =>
    ok(await tx.media.claim(workspaceId, mediaId, LEASE_SECONDS)),
  );
  if (!claimed.ok || !claimed.value?.sourceUrl) return;
  const { attempts, sourceUrl } = claimed.value;
  const lease = createLeaseHandle(ports, claimedAt, (tx, seconds) =>
    tx.media.extendLease(workspaceId, mediaId, attempts, seconds),
  );
  const fetched = await withLease(lease, stop, DEADLINE_SECONDS * 1000, (signal) =>
    fetchOnce(ports, workspaceId, sourceUrl, signal),
  );
  const wait = stop.aborted ? 0 : BACKOFF_SECONDS[attempts - 1];

  const settled = await ports.transactions.run(async (tx) => {
    if (fetched.kind === 'not_now' && wait !== undefined) {
      await tx.media.postpone(workspaceId, mediaId, attempts, wait);
      if (wait > 0) {
        const job = { name: 'fetch_media', workspaceId, mediaId } as const;
        await tx.jobs.enqueue(job, { startAfter: ports.clock.after(wait * 1000) });
      }
      return ok(true);
    }
    const outcome =
      fetched.kind === 'stored'
        ? { file: fetched.file }
        : { error: fetched.kind === 'failed' ? fetched.error : fetchFailed(fetched.reason) };
    const isSettled = await tx.media.settle(workspaceId, mediaId, attempts, outcome);
    if (isSettled && 'error' in outcome) await reportMediaFailure(tx, workspaceId, mediaId, outcome.error);
    return ok(isSettled);
  });
  const isStored = settled.ok && settled.value;
  if (fetched.kind === 'stored' && !isStored) await ports.mediaFiles.remove([fetched.file.name]);
}

async function fetchOnce(
  ports: Pick<Ports, 'mediaFiles' | 'mediaTools' | 'downloads' | 'tokens'>,
  workspaceId: WorkspaceId,
  url: string,
  signal: AbortSignal,
): Promise<FetchResult> {
  const answer = await ports.downloads.open({ url, deadlineSeconds: DEADLINE_SECONDS, signal });
  if (answer.kind !== 'opened') return classifyDownloadFailure(answer);
  // Downloads have a queue of their own, in the database, and only a few run concurrently.
  const stored = await storeMedia(ports, answer.bytes, { workspaceId, bypassesQueueLimit: true, signal });
  if (stored.ok) return { kind: 'stored', file: stored.value };
  const { code, message } = stored.failure;
  if (code === 'request.invalid')
    return { kind: 'not_now', reason: 'The download ended before the file was complete.' };
  if (code === 'service.unavailable' || code === 'rate_limit.exceeded')
    return { kind: 'not_now', reason: 'The file could not be inspected in time.' };
  return code === 'request.too_large'
    ? { kind: 'failed', error: fetchFailed(message) }
    : { kind: 'failed', error: { code, message } };
}

export function classifyDownloadFailure(
  answer: Exclude<DownloadOutcome, { kind: 'opened' }>,
): Exclude<FetchResult, { kind: 'stored' }> {
  if (answer.kind === 'refused') {
    const reason = `The server responded with status ${answer.status}.`;
    const isTemporary = answer.status === 408 || answer.status === 429 || answer.status >= 500;
    return isTemporary ? { kind: 'not_now', reason } : { kind: 'failed', error: fetchFailed(reason) };
  }
  switch (answer.reason) {
    case 'address_refused':
    case 'invalid_url':
      return {
        kind: 'failed',
        error: {
          code: 'platform.address_refused',
          message: 'The URL must begin with https:// and lead to an address on the public internet.',
        },
      };
    case 'too_many_redirects':
      return { kind: 'failed', error: fetchFailed('Too many redirects.') };
    case 'aborted':
    case 'unreachable':
      return { kind: 'not_now', reason: 'The server could not be reached.' };
  }
}

const fetchFailed = (message: string) => ({ code: 'media.fetch_failed', message }) as const;
