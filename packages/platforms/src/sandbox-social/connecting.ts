import { ok, Secret, type RemoteAccount, type Connecting } from '@switchboard/platform-kit';
import type { z } from 'zod';
import { account, requestJson } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, '/social/api/me', account);
    if (!me.ok) return me;
    const { pages } = me.value;
    if (pages.length === 0) return ok([accountOf(me.value)]);
    return ok(pages.map((page) => ({ ...accountOf(page), credential: new Secret(page.access_token) })));
  },
};

const accountOf = ({
  id,
  username,
  name,
  avatar_url: avatarUrl,
  url,
}: Omit<z.output<typeof account>, 'pages'>): RemoteAccount => ({ id, username, name, avatarUrl, url });
