import { ok, type Connecting } from '@switchboard/platform-kit';
import { requestJson, store } from './wire.js';

export const connecting: Connecting = {
  /** A token gives access to one store, whose ID is its hash. */
  async identify(session) {
    const found = await requestJson(session, '/v2/store', store);
    if (!found.ok) return found;
    const { id, name, domain, secure_url: url, logo } = found.value;
    return ok([
      {
        id,
        username: domain ?? null,
        name: name ?? null,
        avatarUrl: (logo && 'url' in logo ? logo.url : null) ?? null,
        url: url ?? null,
      },
    ]);
  },
};
