import { ok } from '@switchboard/domain';
import type { Connecting } from '@switchboard/domain/ports';
import { requestJson } from '../kit/platform-client.js';
import { mediaRulesOf } from './media-rules.js';
import { errorMapping, profile, session as sessionAnswer } from './wire.js';

/** The server's value for a handle that does not resolve back to the account. */
const NO_HANDLE = 'handle.invalid';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(
      session,
      errorMapping,
      { method: 'GET', path: '/xrpc/com.atproto.server.getSession', effect: 'read' },
      sessionAnswer,
    );
    if (!me.ok) return me;
    const { did, handle } = me.value;

    // Name and avatar come from the app view, which the account's server need not have.
    const known = await requestJson(
      session,
      errorMapping,
      { method: 'GET', path: '/xrpc/app.bsky.actor.getProfile', query: { actor: did }, effect: 'read' },
      profile,
    );
    return ok([
      {
        id: did,
        username: handle === NO_HANDLE ? null : handle,
        name: (known.ok && known.value.displayName) || null,
        avatarUrl: (known.ok && known.value.avatar) || null,
        url: `https://bsky.app/profile/${did}`,
        mediaLimits: await mediaRulesOf(session),
      },
    ]);
  },
};
