import { ok, type Connecting } from '@switchboard/platform-kit';
import { requestJson, profile } from './wire.js';

const fields = 'id,username,name,threads_profile_picture_url';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, { path: '/me', query: { fields } }, profile);
    if (!me.ok) return me;
    const { id, username, name, threads_profile_picture_url: avatarUrl } = me.value;
    return ok([
      {
        id,
        username: username ?? null,
        name: name || null,
        avatarUrl: avatarUrl || null,
        url: username ? `https://www.threads.com/@${username}` : null,
      },
    ]);
  },
};
