import { ok } from '@switchboard/domain';
import type { Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { channels, requestJson } from './wire.js';

/** The playlist of all uploads of the channel; null for an account without a channel. */
export async function findUploadsPlaylist(session: Session): AdapterResult<string | null> {
  const query = { part: 'contentDetails', mine: true };
  const own = await requestJson(session, { path: '/youtube/v3/channels', query }, channels);
  return own.ok ? ok(own.value.items[0]?.contentDetails?.relatedPlaylists.uploads ?? null) : own;
}
