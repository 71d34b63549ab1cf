import { ok, type Connecting } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { account, dialect } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await ask(session, dialect, { method: 'GET', path: '/v1/me', effect: 'read' }, account);
    if (!me.ok) return me;
    const { id, handle, name } = me.value;
    return ok([{ id, username: handle, name, avatarUrl: null, url: null }]);
  },
};
