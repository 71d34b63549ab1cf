import { ok, type Connecting } from '@switchboard/platform-kit';
import { z } from 'zod';
import { requestJson } from './client.js';

const account = z.object({ id: z.string().min(1), handle: z.string() });

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, '/v1/me', account);
    if (!me.ok) return me;
    const { id, handle } = me.value;
    return ok([{ id, username: handle, name: null, avatarUrl: null, url: null }]);
  },
};
