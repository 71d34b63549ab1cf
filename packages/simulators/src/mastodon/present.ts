import type { SocialAccount } from '../wire/simulator.js';
import { fieldsWith } from '../wire/exchange.js';
import type { MastodonAttachment } from './media-store.js';
import type { MastodonStatus, StatusCounts } from './status-store.js';

/** Mastodon's defaults. */
export const DEFAULT_LIMITS = {
  maxCharacters: 500,
  attachmentsMax: 4,
  descriptionLimit: 1_500,
  types: [
    ...['image/jpeg', 'image/png', 'image/gif', 'image/heic', 'image/heif', 'image/webp', 'image/avif'],
    ...['video/webm', 'video/mp4', 'video/quicktime', 'video/ogg', 'audio/ogg', 'audio/mpeg'],
  ],
  /** A file must be smaller than this number of bytes. */
  imageSizeLimit: 16 * 1_048_576,
  videoSizeLimit: 99 * 1_048_576,
};
export type InstanceLimits = Readonly<typeof DEFAULT_LIMITS>;

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br />');

/** https://docs.joinmastodon.org/entities/Account/ */
export function presentAccount(origin: string, account: SocialAccount) {
  return {
    id: account.id,
    username: account.username,
    acct: account.username,
    display_name: account.name,
    created_at: '2024-01-01T00:00:00.000Z',
    note: '',
    url: `${origin}/@${account.username}`,
    uri: `${origin}/users/${account.username}`,
    ...fieldsWith(`${origin}/avatars/missing.png`, 'avatar avatar_static header header_static'),
    ...fieldsWith(false, 'bot group indexable locked'),
    ...fieldsWith(0, 'following_count statuses_count'),
    ...fieldsWith([], 'emojis fields'),
    followers_count: account.followers,
  };
}

/** https://docs.joinmastodon.org/entities/Account/#CredentialAccount */
export const presentOwnAccount = (origin: string, account: SocialAccount) => ({
  ...presentAccount(origin, account),
  source: {
    note: '',
    fields: [],
    privacy: 'public',
    follow_requests_count: 0,
    ...fieldsWith(false, 'indexable sensitive'),
  },
  role: { id: '-99', name: '', permissions: '0', color: '', highlighted: false },
});

/** https://docs.joinmastodon.org/entities/Status/ */
export const presentStatus = (
  origin: string,
  account: SocialAccount,
  status: MastodonStatus,
  counts: StatusCounts,
) => ({
  id: status.id,
  created_at: status.createdAt.toISOString(),
  in_reply_to_id: status.inReplyToId,
  sensitive: status.sensitive,
  spoiler_text: status.spoilerText,
  visibility: status.visibility,
  language: status.language,
  uri: `${origin}/users/${account.username}/statuses/${status.id}`,
  url: `${origin}/@${account.username}/${status.id}`,
  replies_count: counts.replies,
  reblogs_count: counts.reblogs,
  favourites_count: counts.favourites,
  content: `<p>${escaped(status.text)}</p>`,
  reblog: null,
  application: { name: status.application, website: null },
  account: presentAccount(origin, account),
  media_attachments: status.media.map((one) => presentAttachment(origin, one, true)),
  ...fieldsWith([], 'emojis mentions tags'),
});

/** https://docs.joinmastodon.org/entities/MediaAttachment/ */
export const presentAttachment = (origin: string, one: MastodonAttachment, isReady: boolean) => ({
  id: one.id,
  type: one.type,
  url: isReady ? `${origin}/media_attachments/files/${one.id}/original/${one.sha256.slice(0, 16)}` : null,
  meta: isReady ? { original: { width: 640, height: 480, aspect: 640 / 480 } } : null,
  description: one.description,
});

/** https://docs.joinmastodon.org/entities/Instance/ */
export const presentInstance = (origin: string, limits: InstanceLimits) => ({
  domain: new URL(origin).host,
  title: 'A Mastodon server for tests',
  version: '4.7.0',
  ...fieldsWith('', 'description source_url'),
  ...fieldsWith([], 'icon languages rules'),
  api_versions: { mastodon: 7 },
  contact: { email: 'admin@example.com' },
  registrations: fieldsWith(false, 'approval_required enabled'),
  usage: { users: { active_month: 1 } },
  thumbnail: { url: `${origin}/thumbnail.png` },
  configuration: {
    accounts: fieldsWith(10, 'max_featured_tags max_pinned_statuses'),
    polls: fieldsWith(4, 'max_options max_characters_per_option min_expiration max_expiration'),
    translation: { enabled: false },
    urls: {},
    statuses: {
      max_characters: limits.maxCharacters,
      max_media_attachments: limits.attachmentsMax,
      characters_reserved_per_url: 23,
    },
    media_attachments: {
      description_limit: limits.descriptionLimit,
      supported_mime_types: limits.types,
      image_size_limit: limits.imageSizeLimit,
      image_matrix_limit: 33_177_600,
      ...fieldsWith(8_294_400, 'video_frame_rate_limit video_matrix_limit'),
      video_size_limit: limits.videoSizeLimit,
    },
  },
});
