import { ok, type Connecting } from '@switchboard/platform-kit';
import { account, requestJson } from './client.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, { path: '/users/me', query: { context: 'edit' } }, account);
    if (!me.ok) return me;
    const { id, username, name, link, avatar_urls: avatars } = me.value;
    return ok([
      {
        id: String(id),
        username,
        name: name ?? null,
        avatarUrl: avatars?.['96'] ?? null,
        url: link ?? null,
      },
    ]);
  },
};
