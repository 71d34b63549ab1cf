import { ok, type Connecting } from '@switchboard/platform-kit';
import { readJson } from './client.js';
import { me } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const found = await readJson(session, '/api/v1/me', me);
    if (!found.ok) return found;
    const { id, name, icon_img: avatarUrl, subreddit } = found.value;
    return ok([
      {
        id,
        username: name,
        name: subreddit?.title || null,
        avatarUrl: avatarUrl || null,
        url: `https://www.reddit.com/user/${name}`,
      },
    ]);
  },
};
