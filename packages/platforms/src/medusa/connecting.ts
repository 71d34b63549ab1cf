import { ok } from '@switchboard/domain';
import type { Connecting } from '@switchboard/domain/ports';
import { requestJson } from '../kit/platform-client.js';
import { errorMapping, storeList } from './wire.js';

export const connecting: Connecting = {
  /** One server is one store. */
  async identify(session) {
    const found = await requestJson(
      session,
      errorMapping,
      { method: 'GET', path: '/admin/stores', query: { fields: 'id,name' }, effect: 'read' },
      storeList,
    );
    if (!found.ok) return found;
    return ok(
      found.value.stores.slice(0, 1).map(({ id, name }) => ({
        id,
        username: new URL(session.baseUrl).host,
        name,
        avatarUrl: null,
        url: `${session.baseUrl}/app`,
      })),
    );
  },
};
