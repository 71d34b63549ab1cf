import { ok, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { channels, requestJson } from './wire.js';

/** The playlist of all uploads of the channel; null for an account without a channel. */
export async function findUploadsPlaylist(session: Session): AdapterResult<string | null> {
  const query = { part: 'contentDetails', mine: true };
  const own = await requestJson(session, { path: '/youtube/v3/channels', query }, channels);
  return own.ok ? ok(own.value.items[0]?.contentDetails?.relatedPlaylists.uploads ?? null) : own;
}
