import { ok, type Connecting } from '@switchboard/platform-kit';
import { account, requestJson } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, '/store/api/me', account);
    if (!me.ok) return me;
    const { id, name, domain, avatar_url: avatarUrl, url } = me.value;
    return ok([{ id, username: domain, name, avatarUrl, url }]);
  },
};
