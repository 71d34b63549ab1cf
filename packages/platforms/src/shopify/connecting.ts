import { ok, type Connecting } from '@switchboard/platform-kit';
import { requestGraphql } from './client.js';
import { queries } from './wire.js';

export const connecting: Connecting = {
  /** One login is one shop. Its ID stays when its domain changes. */
  async identify(session) {
    const found = await requestGraphql(session, queries.shop);
    if (!found.ok) return found;
    const { id, name, myshopifyDomain } = found.value.shop;
    return ok([
      { id, username: myshopifyDomain, name, avatarUrl: null, url: `https://${myshopifyDomain}/admin` },
    ]);
  },
};
