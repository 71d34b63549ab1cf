import { ok } from '@switchboard/domain';
import type { Connecting } from '@switchboard/domain/ports';
import { requestJson } from '../kit/platform-client.js';
import { account, errorMapping } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(
      session,
      errorMapping,
      { method: 'GET', path: '/v1/me', effect: 'read' },
      account,
    );
    if (!me.ok) return me;
    const { id, handle, name } = me.value;
    return ok([{ id, username: handle, name, avatarUrl: null, url: null }]);
  },
};
