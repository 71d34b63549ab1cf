import type { Call } from '../call.js';
import { probeMedia } from '../media/probe-media.js';
import type { Ports } from '../ports/index.js';
import type { DraftPost } from './draft-post.js';
import { listMediaPaths } from './resolve-media.js';

/**
 * The call with what the media URLs of these drafts respond with, so that media that is certain to fail is a
 * problem of the post. A draft that is only stored is checked when it stops being one.
 */
export async function withMediaProbes(
  ports: Pick<Ports, 'downloads' | 'mediaTools'>,
  call: Call,
  drafts: readonly Pick<DraftPost, 'media' | 'thread' | 'targets' | 'draft'>[],
): Promise<Call> {
  const urls = drafts
    .filter(({ draft }) => draft !== true)
    .flatMap(listMediaPaths)
    .flatMap(([, { url, mediaId }]) => (url !== undefined && mediaId === undefined ? [url] : []));
  return urls.length === 0 ? call : { ...call, mediaProbes: await probeMedia(ports, call, urls) };
}
