import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { AtomicPorts, NewMedia } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { MediaId } from '../ids.js';
import { lineageOf, MEDIA_QUEUE_MAX, type Media } from './media.js';
import { downloadQueueFull } from './media-queue.js';

export interface AddMediaFromUrl {
  readonly url: string;
  readonly altText?: string | null | undefined;
  /** When it was given one before it was stored. */
  readonly id?: MediaId | undefined;
}

const URL_MAX = 2048;

/** Media that the worker fetches. It may be used at once: what is published waits for it. At most `MEDIA_QUEUE_MAX` of a workspace wait. */
export async function addMediaFromUrl(
  ports: Pick<AtomicPorts, 'media' | 'jobs' | 'ids' | 'clock'>,
  call: Call,
  { url, altText, id = ports.ids.next('med') }: AddMediaFromUrl,
): Promise<Result<Media, 'media.url_invalid' | 'rate_limit.exceeded'>> {
  if (!isFetchable(url)) {
    return refuse('media.url_invalid', 'Give a URL that begins with https:// and holds no name or password.');
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

/** Only its shape: whether the address may be reached is judged when it is dialled. */
export function isFetchable(text: string): boolean {
  if (text.length > URL_MAX || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}
