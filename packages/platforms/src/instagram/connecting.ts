import { ok, type Connecting } from '@switchboard/domain';
import { ask } from './ask.js';
import { profile } from './wire.js';

const fields = 'user_id,username,name,profile_picture_url';

export const connecting: Connecting = {
  async identify(session) {
    const me = await ask(session, { method: 'GET', path: '/me', query: { fields }, effect: 'read' }, profile);
    if (!me.ok) return me;
    const { user_id: id, username, name, profile_picture_url: avatarUrl } = me.value;
    return ok([
      {
        id,
        username: username ?? null,
        name: name || null,
        avatarUrl: avatarUrl || null,
        url: username ? `https://www.instagram.com/${username}/` : null,
      },
    ]);
  },
};
