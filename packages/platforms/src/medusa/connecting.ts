import { ok, type Connecting } from '@switchboard/platform-kit';
import { requestJson, storeList } from './wire.js';

export const connecting: Connecting = {
  /** One server is one store. */
  async identify(session) {
    const found = await requestJson(
      session,
      { path: '/admin/stores', query: { fields: 'id,name' } },
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
