import { ok, type RemoteAccount, type Connecting } from '@switchboard/platform-kit';
import { manifest } from './manifest.js';
import { requestJson, me } from './wire.js';

/** For accounts with an X subscription of any kind. */
const LONG_TEXT_LIMITS = { max: 25_000, perLink: 23 };
const LONG_VIDEO_SECONDS = 7_500;

export const connecting: Connecting = {
  async identify(session) {
    const query = { 'user.fields': 'profile_image_url,subscription_type' };
    const found = await requestJson(session, { path: '/2/users/me', query }, me);
    if (!found.ok) return found;
    const { id, username, name, profile_image_url: avatarUrl, subscription_type: pays } = found.value.data;
    const account = { id, username, name: name || null, avatarUrl: avatarUrl || null };
    return ok([{ ...account, url: `https://x.com/${username}`, ...limitsOf(pays ?? 'None') }]);
  },
};

function limitsOf(subscription: string): Pick<RemoteAccount, 'textLimits' | 'mediaLimits'> {
  const { media } = manifest;
  if (subscription === 'None' || !media?.videos) return {};
  const videos = { ...media.videos, maxSeconds: LONG_VIDEO_SECONDS };
  return { textLimits: LONG_TEXT_LIMITS, mediaLimits: { ...media, videos } };
}
