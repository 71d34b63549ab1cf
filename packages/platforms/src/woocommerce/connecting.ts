import { ok, type Connecting } from '@switchboard/platform-kit';
import { API } from './read-refunds.js';
import { ids, index, requestJson } from './wire.js';

export const connecting: Connecting = {
  /** One store per key. The API index is public, so the orders are requested first to verify the key. */
  async identify(session) {
    const allowed = await requestJson(
      session,
      { path: `${API}/orders`, query: { per_page: 1, _fields: 'id' } },
      ids,
    );
    if (!allowed.ok) return allowed;
    const store = await requestJson(session, { path: '/wp-json/', query: { _fields: 'name' } }, index);
    if (!store.ok) return store;
    // The store is identified by the URL it was reached at: its own report might be another store's.
    const { host, pathname } = new URL(session.baseUrl);
    const address = host + pathname.replace(/\/+$/, '');
    // Almost every shop responds with and without `www.`: two accounts of one shop would be two ledgers of
    // it.
    const id = address.replace(/^www\./, '');
    return ok([
      {
        id,
        username: address,
        name: store.value.name || null,
        avatarUrl: null,
        url: session.baseUrl,
      },
    ]);
  },
};
