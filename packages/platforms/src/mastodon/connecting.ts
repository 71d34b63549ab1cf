import { ok, type Connecting, type Session } from '@switchboard/platform-kit';
import { globalId } from './account-id.js';
import { defaults, readLimits, type ServerLimits } from './limits.js';
import { ownAccount, requestJson } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, '/api/v1/accounts/verify_credentials', ownAccount);
    if (!me.ok) return me;
    const { id: localId, username, display_name: name, avatar, url } = me.value;
    const id = globalId(localId, session);
    return ok([
      {
        id,
        username: `${username}@${new URL(session.baseUrl).host}`,
        name: name || null,
        avatarUrl: avatar || null,
        url: url || null,
        ...(await limitsOf(session, id)),
      },
    ]);
  },
};

/** If the server does not respond now, the last reported limits apply. */
async function limitsOf(session: Session, id: string): Promise<ServerLimits> {
  const result = await readLimits(session);
  if (result.ok) return result.value;
  const { textLimits, mediaLimits } = session.account.id === id ? session.account : {};
  return { textLimits: textLimits ?? defaults.textLimits, mediaLimits: mediaLimits ?? defaults.mediaLimits };
}
