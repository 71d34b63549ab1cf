import { ok, type Connecting } from '@switchboard/domain';
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
    const { id, username, name, avatar_url: avatarUrl, url } = me.value;
    return ok([{ id, username, name, avatarUrl, url }]);
  },
};
