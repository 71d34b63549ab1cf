import { reachOf, type Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { MediaLibrary } from '../ports/media.js';
import { ok, type Result } from '../result.js';
import { lineageOf, type Media } from './media.js';

/** The media that a caller names. Malformed, missing, foreign and unreachable ids get the same refusal. */
export async function findReachableMedia(
  ports: { readonly media: Pick<MediaLibrary, 'find'> },
  call: Call,
  text: string,
): Promise<Result<Media, 'media.not_found'>> {
  const id = parseId('med', text);
  const media = id && (await ports.media.find(call.workspaceId, id));
  const lineage = visibleLineage(call);
  return media && (lineage === null || lineage === media.lineage) ? ok(media) : notFound('media');
}

/** A key restricted to profiles sees only what its own family created; null: everything. */
export const visibleLineage = (call: Call): string | null =>
  reachOf(call) === null ? null : lineageOf(call);
