import type { MastodonAttachment } from './media-store.js';
import type { MastodonStatus, StatusCounts } from './status-store.js';

export interface MastodonAccount {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly followers: number;
}

export interface InstanceLimits {
  readonly maxCharacters: number;
  readonly attachmentsMax: number;
  readonly descriptionLimit: number;
  readonly types: readonly string[];
  /** A file must be smaller than this number of bytes. */
  readonly imageSizeLimit: number;
  readonly videoSizeLimit: number;
}

/** Mastodon's defaults. */
export const DEFAULT_LIMITS: InstanceLimits = {
  maxCharacters: 500,
  attachmentsMax: 4,
  descriptionLimit: 1_500,
  types: [
    ...['image/jpeg', 'image/png', 'image/gif', 'image/heic', 'image/heif', 'image/webp', 'image/avif'],
    ...['video/webm', 'video/mp4', 'video/quicktime', 'video/ogg', 'audio/ogg', 'audio/mpeg'],
  ],
  imageSizeLimit: 16 * 1_048_576,
  videoSizeLimit: 99 * 1_048_576,
};

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br />');

/** https://docs.joinmastodon.org/entities/Account/ */
export function presentAccount(origin: string, account: MastodonAccount) {
  const url = `${origin}/@${account.username}`;
  const image = `${origin}/avatars/original/missing.png`;
  return {
    id: account.id,
    username: account.username,
    acct: account.username,
    display_name: account.name,
    locked: false,
    bot: false,
    group: false,
    discoverable: true,
    indexable: true,
    created_at: '2024-01-01T00:00:00.000Z',
    note: '',
    url,
    uri: `${origin}/users/${account.username}`,
    avatar: image,
    avatar_static: image,
    header: image,
    header_static: image,
    followers_count: account.followers,
    following_count: 7,
    statuses_count: 0,
    last_status_at: null,
    emojis: [],
    fields: [],
  };
}

/** https://docs.joinmastodon.org/entities/Account/#CredentialAccount */
export const presentOwnAccount = (origin: string, account: MastodonAccount) => ({
  ...presentAccount(origin, account),
  source: {
    note: '',
    fields: [],
    privacy: 'public',
    sensitive: false,
    language: 'en',
    follow_requests_count: 0,
    indexable: true,
    quote_policy: 'public',
  },
  role: { id: '-99', name: '', permissions: '0', color: '', highlighted: false },
});

/** https://docs.joinmastodon.org/entities/Status/ */
export const presentStatus = (
  origin: string,
  account: MastodonAccount,
  status: MastodonStatus,
  counts: StatusCounts,
) => ({
  id: status.id,
  created_at: status.createdAt.toISOString(),
  in_reply_to_id: status.inReplyToId,
  // The simulator creates only replies to the author's own statuses.
  in_reply_to_account_id: status.inReplyToId === null ? null : account.id,
  sensitive: status.sensitive,
  spoiler_text: status.spoilerText,
  visibility: status.visibility,
  language: status.language,
  uri: `${origin}/users/${account.username}/statuses/${status.id}`,
  url: `${origin}/@${account.username}/${status.id}`,
  replies_count: counts.replies,
  reblogs_count: counts.reblogs,
  favourites_count: counts.favourites,
  edited_at: null,
  content: `<p>${escaped(status.text)}</p>`,
  reblog: null,
  application: { name: status.application, website: null },
  account: presentAccount(origin, account),
  media_attachments: status.media.map((one) => presentAttachment(origin, one, true)),
  mentions: [],
  tags: [],
  emojis: [],
  card: null,
  poll: null,
});

/** https://docs.joinmastodon.org/entities/MediaAttachment/ */
export const presentAttachment = (origin: string, one: MastodonAttachment, isReady: boolean) => ({
  id: one.id,
  type: one.type,
  url: isReady ? `${origin}/media_attachments/files/${one.id}/original/${one.sha256.slice(0, 16)}` : null,
  preview_url:
    isReady || one.type === 'video' ? `${origin}/media_attachments/files/${one.id}/small.png` : null,
  remote_url: null,
  preview_remote_url: null,
  text_url: null,
  meta: isReady ? { original: { width: 640, height: 480, aspect: 640 / 480 } } : null,
  description: one.description,
  blurhash: isReady ? 'UFBWY:8_0Jxv4mx]t8t64.%M-:IUWGWAt6M}' : null,
});

/** https://docs.joinmastodon.org/entities/Instance/ */
export const presentInstance = (origin: string, limits: InstanceLimits) => ({
  domain: new URL(origin).host,
  title: 'A Mastodon server for tests',
  version: '4.7.0',
  source_url: 'https://github.com/mastodon/mastodon',
  description: '',
  usage: { users: { active_month: 1 } },
  thumbnail: { url: `${origin}/thumbnail.png` },
  icon: [],
  languages: ['en'],
  configuration: {
    urls: { streaming: origin.replace(/^http/, 'ws') },
    accounts: { max_featured_tags: 10, max_pinned_statuses: 5 },
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
      video_size_limit: limits.videoSizeLimit,
      video_frame_rate_limit: 120,
      video_matrix_limit: 8_294_400,
    },
    polls: { max_options: 4, max_characters_per_option: 50, min_expiration: 300, max_expiration: 2_629_746 },
    translation: { enabled: false },
  },
  registrations: { enabled: false, approval_required: false, message: null, url: null },
  api_versions: { mastodon: 7 },
  contact: { email: 'admin@example.com', account: null },
  rules: [],
});
