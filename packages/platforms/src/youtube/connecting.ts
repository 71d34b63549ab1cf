import { ok, type Connecting } from '@switchboard/platform-kit';
import { requestJson, channels } from './wire.js';

export const connecting: Connecting = {
  /** The channel chosen on Google's consent page; none if the account has no channel. */
  async identify(session) {
    const query = { part: 'snippet', mine: true };
    const found = await requestJson(session, { path: '/youtube/v3/channels', query }, channels);
    if (!found.ok) return found;
    return ok(
      found.value.items.map(({ id, snippet }) => ({
        id,
        username: snippet?.customUrl || null,
        name: snippet?.title || null,
        avatarUrl: snippet?.thumbnails?.default?.url || null,
        url: `https://www.youtube.com/channel/${id}`,
      })),
    );
  },
};
