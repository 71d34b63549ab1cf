import { ok, type Connecting } from '@switchboard/platform-kit';
import { account, requestJson } from './client.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, '/api/users/me', account);
    if (!me.ok) return me;
    const { id, username, name, profile_image: avatarUrl } = me.value;
    const url = `${session.baseUrl}/${username}`;
    return ok([{ id: String(id), username, name: name ?? null, avatarUrl: avatarUrl ?? null, url }]);
  },
};
