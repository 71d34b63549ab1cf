import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { AtomicPorts, NewMedia } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { MediaId } from '../ids.js';
import { lineageOf, MEDIA_QUEUE_MAX, type Media } from './media.js';
import { downloadQueueFull } from './media-queue.js';

interface AddMediaFromUrl {
  readonly url: string;
  readonly altText?: string | null | undefined;
  /** Set when the id was assigned before the media is stored. */
  readonly id?: MediaId | undefined;
}

const URL_MAX = 2048;

/**
 * Creates media that the worker downloads. It can be used at once: publishing waits for it. At most
 * `MEDIA_QUEUE_MAX` downloads of a workspace are queued.
 */
export async function addMediaFromUrl(
  ports: Pick<AtomicPorts, 'media' | 'jobs' | 'ids' | 'clock'>,
  call: Call,
  { url, altText, id = ports.ids.next('med') }: AddMediaFromUrl,
): Promise<Result<Media, 'media.url_invalid' | 'rate_limit.exceeded'>> {
  if (!isFetchable(url)) {
    return refuse(
      'media.url_invalid',
      'Send a URL that begins with https:// and contains no user name or password.',
    );
  }
  const media: NewMedia = {
    id,
    workspaceId: call.workspaceId,
    status: 'processing',
    source: 'url',
    sourceUrl: url,
    lineage: lineageOf(call),
    declared: null,
    file: null,
    altText: altText ?? null,
    error: null,
    createdAt: ports.clock.now(),
  };
  if (!(await ports.media.insertToFetch(media, MEDIA_QUEUE_MAX))) return downloadQueueFull();
  await ports.jobs.enqueue({ name: 'fetch_media', workspaceId: media.workspaceId, mediaId: media.id });
  return ok({ ...media, attempts: 0, inUse: false, lastUsedAt: null });
}

/** Checks only the syntax: whether the address is allowed is checked when the connection is opened. */
export function isFetchable(text: string): boolean {
  if (text.length > URL_MAX || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}
