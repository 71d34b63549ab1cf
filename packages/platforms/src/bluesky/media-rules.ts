import type { MediaRules } from '@switchboard/domain/connections';
import type { Session } from '@switchboard/domain/ports';
import { requestJson } from '../kit/platform-client.js';
import { mediaRules } from './manifest.js';
import { errorMapping, serverDescription } from './wire.js';

/**
 * The media limits of this account's server: each has its own file limit, which newer servers report. A
 * server that does not report one gets Bluesky's limits.
 */
export async function mediaRulesOf(session: Session): Promise<MediaRules> {
  const result = await requestJson(
    session,
    errorMapping,
    { method: 'GET', path: '/xrpc/com.atproto.server.describeServer', effect: 'read' },
    serverDescription,
  );
  const limit = result.ok ? (result.value.blobUploadLimit ?? Infinity) : Infinity;
  const { images, videos } = mediaRules;
  return {
    ...mediaRules,
    images: { ...images, maxBytes: Math.min(images.maxBytes, limit) },
    videos: { ...videos, maxBytes: Math.min(videos.maxBytes, limit) },
  };
}
