import { openMedia } from '../media/open-media.js';
import { imageLimitsOf } from '../deliveries/open-part-media.js';
import type { Ports } from '../ports/index.js';
import { notFound } from '../failure.js';
import { ok, type Result } from '../result.js';
import { openDecision, type DecisionReadPorts } from './open-decision.js';

interface DecisionMediaPosition {
  readonly token: string;
  readonly deliveryId: string;
  readonly part: number;
  readonly index: number;
}

/**
 * The URL of an image, video or document exactly as a delivery that waits for a decision sends it, valid for an hour:
 * an image is resized to what the platform accepts.
 */
export async function openDecisionMedia(
  ports: DecisionReadPorts & Pick<Ports, 'mediaFiles' | 'mediaTools'>,
  { token, deliveryId, part, index }: DecisionMediaPosition,
  signal: AbortSignal,
): Promise<Result<string, 'media.not_found' | 'media.lost' | 'media.unreadable' | 'media.processing'>> {
  const decision = await openDecision(ports, token);
  const deliveries = decision?.subject?.kind === 'post' ? decision.subject.deliveries : [];
  const delivery = deliveries.find(({ id }) => id === deliveryId);
  const media = delivery?.parts[part]?.media[index]?.media;
  if (!decision || !delivery || media?.status !== 'ready') return notFound('media');
  const connection = await ports.connections.find(decision.approval.workspaceId, delivery.connectionId);
  const rules = connection?.account.mediaLimits ?? ports.manifests.find(delivery.platform.id)?.media ?? null;
  const opened = await openMedia(ports, media, imageLimitsOf(media, rules), signal);
  return opened.ok ? ok(opened.value.publicUrl()) : opened;
}
