import type { Call } from '../call.js';
import { addMediaFromUrl } from '../media/add-media-from-url.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, refuseWith, type Result } from '../result.js';
import type { MediaUse, Post } from './post.js';

/**
 * Stores which media a post uses, so that they are kept as long as it needs them, and enqueues downloads.
 * Fails when the download queue of the workspace is full: the post is rolled back with it.
 */
export async function storeMediaUses(
  ports: Pick<AtomicPorts, 'media' | 'jobs' | 'ids' | 'clock'>,
  call: Call,
  post: Post,
  before: Post | null = null,
): Promise<Result<undefined, 'rate_limit.exceeded'>> {
  const uses = new Map(usesOf(post).map((use) => [use.mediaId, use]));
  if (uses.size === 0 && (!before || usesOf(before).length === 0)) return ok();
  const known = await ports.media.findMany(post.workspaceId, [...uses.keys()]);
  const stored = new Set(known.map(({ id }) => id));
  for (const { mediaId: id, url, altText } of uses.values()) {
    if (stored.has(id) || url === null) continue;
    const added = await addMediaFromUrl(ports, call, { id, url, altText });
    if (added.ok) continue;
    const { code } = added.failure;
    if (code === 'media.url_invalid') throw new Error('a URL was accepted that cannot be downloaded');
    return refuseWith({ ...added.failure, code });
  }
  await ports.media.setUses(post.workspaceId, post.id, [...uses.keys()]);
  return ok();
}

const usesOf = ({ media, thread, requested: { targets } }: Post): readonly MediaUse[] => [
  ...media,
  ...thread.flatMap((item) => item.media),
  ...(targets === 'all' ? [] : targets.flatMap((target) => target.media ?? [])),
];
