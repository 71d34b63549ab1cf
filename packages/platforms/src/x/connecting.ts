import { ok, type Connecting } from '@switchboard/domain';
import { ask, me } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const found = await ask(
      session,
      {
        method: 'GET',
        path: '/2/users/me',
        query: { 'user.fields': 'profile_image_url' },
        effect: 'read',
      },
      me,
    );
    if (!found.ok) return found;
    const { id, username, name, profile_image_url: avatarUrl } = found.value.data;
    return ok([
      { id, username, name: name || null, avatarUrl: avatarUrl || null, url: `https://x.com/${username}` },
    ]);
  },
};
