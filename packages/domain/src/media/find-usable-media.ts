import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { MediaLibrary } from '../ports/media.js';
import type { Result } from '../result.js';
import { findReachableMedia } from './find-media.js';
import type { Media } from './media.js';

/** Media that a post may name: ready, or still on its way. */
export async function findUsableMedia(
  ports: { readonly media: Pick<MediaLibrary, 'find'> },
  call: Call,
  id: string,
): Promise<Result<Media, 'media.not_found' | 'media.failed'>> {
  const found = await findReachableMedia(ports, call, id);
  if (!found.ok || found.value.status !== 'failed') return found;
  return refuse('media.failed', found.value.error?.message ?? 'This media cannot be used.');
}
