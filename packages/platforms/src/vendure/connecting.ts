import { ok, type Connecting } from '@switchboard/platform-kit';
import { requestGraphql } from './client.js';
import { queries } from './wire.js';

export const connecting: Connecting = {
  /**
   * Orders belong to a channel. Channels are numbered from 1 on every server, so the ID includes the server's
   * name.
   */
  async identify(session) {
    const found = await requestGraphql(session, queries.account);
    if (!found.ok) return found;
    const { id, code } = found.value.activeChannel;
    const { host } = new URL(session.baseUrl);
    const name = code === '__default_channel__' ? host : code;
    return ok([
      { id: `${host}/${id}`, username: host, name, avatarUrl: null, url: `${session.baseUrl}/dashboard` },
    ]);
  },
};
