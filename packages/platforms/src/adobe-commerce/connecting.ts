import { ok, type Connecting } from '@switchboard/platform-kit';
import { requestStore, fetchStoreConfigs } from './client.js';
import { searchCriteria } from './search.js';
import { probeList } from './wire.js';

/**
 * The permissions that orders are read with. An integration without them gets an error now instead of at its
 * first order.
 */
const REQUIRED_PATHS = ['/orders', '/invoices', '/creditmemos'];

export const connecting: Connecting = {
  /** One installation is one store, however many websites and views it has: their orders are in one list. */
  async identify(session) {
    const configs = await fetchStoreConfigs(session);
    if (!configs.ok) return configs;
    for (const path of REQUIRED_PATHS) {
      const query = searchCriteria([], [['entity_id', 'ASC']], 1);
      const probed = await requestStore(session, { path, query }, probeList);
      if (!probed.ok) return probed;
    }
    const [first] = [...configs.value].sort((one, other) => one.id - other.id);
    // Whatever URL was typed, with www or without, the store reports its own.
    const url = new URL(first?.secure_base_url ?? first?.base_url ?? session.baseUrl);
    const name = url.host + url.pathname.replace(/\/+$/, '');
    return ok([{ id: name, username: name, name, avatarUrl: null, url: url.href }]);
  },
};
