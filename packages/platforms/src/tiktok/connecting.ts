import { ok, type Connecting } from '@switchboard/platform-kit';
import { requestJson } from './client.js';
import { fetchCreator, mediaLimitsOf } from './creator.js';
import { user } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const mayName = session.grantedPermissions.includes('user.info.profile');
    // One field without permission would fail the whole request.
    const fields = `open_id,display_name,avatar_url${mayName ? ',username' : ''}`;
    const found = await requestJson(session, { path: '/v2/user/info/', query: { fields } }, user);
    if (!found.ok) return found;
    const { open_id: id, display_name: name, avatar_url: avatarUrl, username } = found.value.data.user;
    // An account that may not post today is still identified.
    const creator = await fetchCreator(session);
    return ok([
      {
        id,
        username: username || null,
        name: name || null,
        avatarUrl: avatarUrl || null,
        url: username ? `https://www.tiktok.com/@${username}` : null,
        ...(creator.ok && { mediaLimits: mediaLimitsOf(creator.value) }),
      },
    ]);
  },
};
