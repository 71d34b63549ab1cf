import { ok, type Connecting } from '@switchboard/platform-kit';
import { account, requestJson } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, '/v5/user_account', account);
    if (!me.ok) return me;
    const { id, username, business_name: name, profile_image: avatarUrl } = me.value;
    return ok([
      {
        id,
        username,
        name: name || null,
        avatarUrl: avatarUrl || null,
        url: `https://www.pinterest.com/${username}/`,
      },
    ]);
  },
};
