import { ok, type Connecting } from '@switchboard/platform-kit';
import { account, requestJson } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, '/v1/me', account);
    if (!me.ok) return me;
    const { id, handle, name } = me.value;
    return ok([{ id, username: handle, name, avatarUrl: null, url: null }]);
  },
};
