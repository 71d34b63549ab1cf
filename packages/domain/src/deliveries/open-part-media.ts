import type { MediaRules } from '../connections/connection.js';
import { refuse } from '../failure.js';
import { kindOfMedia, type Media } from '../media/media.js';
import { openMedia } from '../media/open-media.js';
import type { Ports, PublishMedia } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { checkMedia } from '../posts/check-media.js';
import type { MediaUse } from '../posts/post.js';
import type { Delivery } from './delivery.js';

export type MediaPorts = Pick<
  Ports,
  'media' | 'mediaFiles' | 'mediaTools' | 'mediaLinks' | 'tokens' | 'clock'
>;

type OpenPartMediaFailureCode =
  | 'media.not_found'
  | 'media.processing'
  | 'media.failed'
  | 'media.lost'
  | 'media.unreadable'
  | 'post.invalid';

/** Media that is nearly ready is waited for; otherwise the delivery is retried later. */
const READY_TIMEOUT_MS = 15_000;
const POLL_MS = 500;

/**
 * The media of a part, ready to be sent: validated again, because the properties of unprocessed media were
 * unknown, and with still images resized.
 */
export async function openPartMedia(
  ports: MediaPorts,
  { workspaceId }: Pick<Delivery, 'workspaceId'>,
  uses: readonly MediaUse[],
  target: { readonly name: string; readonly rules: MediaRules | null },
  signal: AbortSignal,
): Promise<Result<readonly PublishMedia[], OpenPartMediaFailureCode>> {
  if (uses.length === 0) return ok([]);
  const found = await waitUntilReady(ports, workspaceId, uses, signal);
  if (!found.ok) return found;
  const problems = checkMedia(
    target,
    found.value.map(({ file }, index) => ({ file, altText: uses[index]?.altText ?? null })),
  );
  if (problems.length > 0) return refuse('post.invalid', problems.map(({ message }) => message).join(' '));
  const opened: PublishMedia[] = [];
  for (const [index, media] of found.value.entries()) {
    const one = await openMedia(ports, media, imageLimitsOf(media, target.rules), signal);
    if (!one.ok) return one;
    opened.push({ ...one.value, altText: uses[index]?.altText ?? null });
  }
  return ok(opened);
}

/** In the order of use. */
async function waitUntilReady(
  ports: MediaPorts,
  workspaceId: Delivery['workspaceId'],
  uses: readonly MediaUse[],
  signal: AbortSignal,
): Promise<Result<readonly Media[], OpenPartMediaFailureCode>> {
  const until = ports.clock.after(READY_TIMEOUT_MS);
  for (;;) {
    const known = await ports.media.findMany(
      workspaceId,
      uses.map(({ mediaId }) => mediaId),
    );
    const media = uses.flatMap(({ mediaId }) => known.find(({ id }) => id === mediaId) ?? []);
    if (media.length < uses.length) return refuse('media.not_found', 'Media of this post was deleted.');
    const failed = media.find(({ status }) => status === 'failed');
    if (failed) return refuse('media.failed', failed.error?.message ?? 'Media of this post cannot be used.');
    if (media.every(({ status }) => status === 'ready')) return ok(media);
    if (signal.aborted || ports.clock.now() >= until) {
      return refuse('media.processing', 'Media of this post is still being processed.', {
        retryAfterSeconds: 5,
      });
    }
    await ports.clock.sleep(POLL_MS, signal);
  }
}

/** Still images can be resized. */
export function imageLimitsOf({ file }: Media, rules: MediaRules | null): MediaRules['images'] {
  const isStill = file !== null && kindOfMedia(file.type) === 'image' && !file.animated;
  return isStill ? (rules?.images ?? null) : null;
}
