import { ok, type Connecting } from '@switchboard/platform-kit';
import { z } from 'zod';
import { requestJson } from './client.js';

const account = z.object({
  id: z.int().positive(),
  username: z.string().min(1),
  name: z.string().nullish(),
  profile_image: z.string().nullish(),
});

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, '/api/users/me', account);
    if (!me.ok) return me;
    const { id, username, name, profile_image: avatarUrl } = me.value;
    const url = `${session.baseUrl}/${username}`;
    return ok([{ id: String(id), username, name: name ?? null, avatarUrl: avatarUrl ?? null, url }]);
  },
};
