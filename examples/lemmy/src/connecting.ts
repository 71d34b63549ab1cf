import { ok, type Connecting } from '@switchboard/platform-kit';
import { z } from 'zod';
import { id, readJson } from './client.js';

const person = z.object({
  id,
  name: z.string(),
  display_name: z.string().nullish(),
  avatar: z.string().nullish(),
  actor_id: z.url(),
});
const site = z.object({ my_user: z.object({ local_user_view: z.object({ person }) }) });

export const connecting: Connecting = {
  async identify(session) {
    const seen = await readJson(session, '/api/v3/site', {}, site);
    if (!seen.ok) return seen;
    const {
      name,
      id: own,
      display_name: shown,
      avatar,
      actor_id: url,
    } = seen.value.my_user.local_user_view.person;
    const username = `${name}@${new URL(url).host}`;
    return ok([{ id: String(own), username, name: shown ?? null, avatarUrl: avatar ?? null, url }]);
  },
};
