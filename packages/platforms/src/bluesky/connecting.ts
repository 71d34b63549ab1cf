import { ok, type Connecting, type Session, type MediaRules } from '@switchboard/platform-kit';
import { profile, requestJson, session as sessionAnswer, serverDescription } from './wire.js';
import { mediaRules } from './manifest.js';

/** The server's value for a handle that does not resolve back to the account. */
const NO_HANDLE = 'handle.invalid';

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, '/xrpc/com.atproto.server.getSession', sessionAnswer);
    if (!me.ok) return me;
    const { did, handle } = me.value;

    // Name and avatar come from the app view, which the account's server need not have.
    const known = await requestJson(
      session,
      { path: '/xrpc/app.bsky.actor.getProfile', query: { actor: did } },
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

/**
 * The media limits of this account's server: each has its own file limit, which newer servers report. A
 * server that does not report one gets Bluesky's limits.
 */
async function mediaRulesOf(session: Session): Promise<MediaRules> {
  const result = await requestJson(session, '/xrpc/com.atproto.server.describeServer', serverDescription);
  const limit = result.ok ? (result.value.blobUploadLimit ?? Infinity) : Infinity;
  const { images, videos } = mediaRules;
  return {
    ...mediaRules,
    images: { ...images, maxBytes: Math.min(images.maxBytes, limit) },
    videos: { ...videos, maxBytes: Math.min(videos.maxBytes, limit) },
  };
}
