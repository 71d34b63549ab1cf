import { ok, Secret } from '@switchboard/domain';
import type { RemoteAccount } from '@switchboard/domain/connections';
import type { Connecting } from '@switchboard/domain/ports';
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
