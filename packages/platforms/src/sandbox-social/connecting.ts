import { ok, Secret, type Connecting, type RemoteAccount } from '@switchboard/domain';
import type { z } from 'zod';
import { ask } from '../kit/answers.js';
import { account, dialect } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await ask(
      session,
      dialect,
      { method: 'GET', path: '/social/api/me', effect: 'read' },
      account,
    );
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
