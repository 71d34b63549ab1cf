import { ok, type Connecting } from '@switchboard/platform-kit';
import { requestJson, merchantAnswer } from './wire.js';

export const connecting: Connecting = {
  /** A token belongs to exactly one merchant. */
  async identify(session) {
    const found = await requestJson(session, '/v2/merchants/me', merchantAnswer);
    if (!found.ok) return found;
    const { id, business_name: name } = found.value.merchant;
    return ok([{ id, username: null, name: name ?? null, avatarUrl: null, url: null }]);
  },
};
